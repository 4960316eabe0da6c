import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { withRetries } from './retries.ts'

const BUSY = new Database.SqliteError('database is locked', 'SQLITE_BUSY_RECOVERY')

it('work is repeated while the database is busy', async () => {
  let attempts = 0
  const result = await withRetries(() => {
    attempts += 1
    if (attempts < 3) throw BUSY
    return 'done'
  })
  expect([result, attempts]).toEqual(['done', 3])
})

it('repeated work rejects with the error of the driver when the time is up', async () => {
  await expect(withRetries(() => Promise.reject(BUSY), 10)).rejects.toBe(BUSY)
})

it('work is not repeated after an error that is not about a lock', async () => {
  let attempts = 0
  const failing = withRetries(() => {
    attempts += 1
    throw new Database.SqliteError('disk full', 'SQLITE_FULL')
  })
  await expect(failing).rejects.toThrow('disk full')
  expect(attempts).toBe(1)
})
