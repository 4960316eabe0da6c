import { runSql } from '@pet-store/testing-postgres'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { migratePostgres } from '../migrations.ts'
import { openPostgresPersistence } from '../open-persistence.ts'
import { useDatabase } from '../testing/temporary-database.test-support.ts'

const database = useDatabase()
const onServer = (sql: string) => runSql(database.url, sql)

beforeEach(async () => {
  await migratePostgres({ url: database.url })
  await onServer('truncate request_count')
})

async function open() {
  const opened = await openPostgresPersistence({ url: database.url })
  onTestFinished(() => opened.close())
  return opened
}

it("counting requests begins a new window when the server's clock was set back", async () => {
  const { createRateLimiter } = await open()
  const limiter = createRateLimiter({ requests: 1, windowMs: 60_000 })
  await limiter.take('kiosk')
  await onServer('update request_count set window_start = window_start + 86400000, requests = 5')
  const taken = await limiter.take('kiosk')
  expect(taken).toMatchObject({ isAllowed: true, remaining: 0 })
  expect(taken.resetMs).toBeLessThanOrEqual(60_000)
  expect((await limiter.take('kiosk')).isAllowed).toBe(false)
})

it('counting requests that waited longer than a window takes the one begun last', async () => {
  const { createRateLimiter } = await open()
  const limiter = createRateLimiter({ requests: 1, windowMs: 1_000 })
  await limiter.take('kiosk')
  // As requests have done that came later, and did not wait.
  await onServer('update request_count set window_start = window_start + 5000, requests = 1')
  expect(await limiter.take('kiosk')).toMatchObject({ isAllowed: false, remaining: 0 })
})
