import { DriverException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sql'
import { isPetError, persistenceUnavailable } from '@pet-store/domain'
import { expect, it, vi } from 'vitest'
import { EntityManagers, type EntityManagersOptions } from './entity-managers.ts'

const EM = { fork: () => EM } as unknown as SqlEntityManager

const run: EntityManagersOptions['read'] = (work) => work()
const open = (options: Partial<EntityManagersOptions> = {}) =>
  new EntityManagers(EM, { read: run, write: run, ...options })

it('an error that says the database is unavailable keeps its outcome below the ORM', async () => {
  const lost = persistenceUnavailable({ message: 'The connection was lost.', outcome: 'unknown' })
  const failing = open().write('write', async () => {
    throw new DriverException(lost)
  })
  const error: unknown = await failing.catch((reason: unknown) => reason)
  expect(error).toMatchObject({ message: 'The connection was lost.', outcome: 'unknown' })
  expect(isPetError(error)).toBe(true)
})

it('work through the ORM is reported under its name, without texts that hold values', async () => {
  const end = vi.fn()
  const onStatement = vi.fn(() => end)
  const server = { system: 'sqlite' }
  const entities = open({ onStatement, server })
  await entities.read('api_key_find', async () => 'key')
  expect(onStatement).toHaveBeenCalledExactlyOnceWith({ name: 'api_key_find' }, server)
  expect(end).toHaveBeenCalledExactlyOnceWith()
})

it('work through the ORM is rejected when too much waits, and closing waits for it', async () => {
  let resolve = () => {}
  const result = new Promise<void>((resolved) => {
    resolve = resolved
  })
  const entities = open()
  const waiting = Array.from({ length: 10_000 }, () => entities.read('read', async () => result))
  await expect(entities.read('read', async () => 'one more')).rejects.toMatchObject({
    code: 'persistence_unavailable',
  })
  let isFinished = false
  const finishing = entities.finish().then(() => {
    isFinished = true
  })
  await new Promise((turn) => setImmediate(turn))
  expect(isFinished).toBe(false)
  resolve()
  await Promise.all([...waiting, finishing])
  // What has ended counts no longer.
  expect(await entities.read('read', async () => 'later')).toBe('later')
})
