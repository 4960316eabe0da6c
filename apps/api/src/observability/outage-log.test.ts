import pino from 'pino'
import { expect, it } from 'vitest'
import { createOutageLog } from './outage-log.ts'

it('reports an unavailable database once with its cause, further requests as warnings, and its end', () => {
  const lines: { level: number; msg: string; err?: unknown }[] = []
  let timeMs = 0
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const outage = createOutageLog(log, () => timeMs)
  const served = (at: number, entry: object = {}) => {
    timeMs = at
    const given = { requestId: 'r', status: 200, route: '/v1/pets', durationMs: 5, isComplete: true, ...entry }
    outage.request(given)
  }
  served(0)
  outage.unavailable(new Error('refused'), 'one')
  timeMs = 10_000
  outage.unavailable(new Error('refused'), 'two')
  served(10_900)
  served(12_000, { durationMs: 1_500 })
  served(12_000, { route: '/livez' })
  served(12_000, { status: 404 })
  expect(lines).toMatchObject([
    { level: 50, requestId: 'one', err: { message: 'refused', stack: expect.any(String) } },
    { level: 40, requestId: 'two', reason: 'refused' },
  ])
  expect(lines[1]).not.toHaveProperty('err')
  served(12_000)
  served(13_000)
  expect(lines.slice(2)).toMatchObject([{ level: 30, msg: 'the database is available again' }])
  outage.unavailable(new Error('refused'), 'three')
  expect(lines[3]).toMatchObject({ level: 50, requestId: 'three' })
})
