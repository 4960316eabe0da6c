import { expect, it, onTestFinished } from 'vitest'
import { openPostgresPersistence } from '../../open-persistence.ts'
import { useLimitedUser } from '../../testing/limited-user.test-support.ts'

const user = useLimitedUser()
const { onServer } = user

it.each([
  ['pet', 'id'],
  ['idempotency_key', 'owner, key'],
])('a database whose table %s has no primary key is not ready, nor opened', async (table, key) => {
  await onServer(`alter table ${table} drop constraint ${table}_pkey`)
  const restore = `alter table ${table} add constraint ${table}_pkey primary key (${key})`
  onTestFinished(async () => void (await onServer(restore)))
  const message = `The table ${table} has no primary key`
  await expect(user.persistence.check()).rejects.toThrow(message)
  await expect(openPostgresPersistence({ url: user.ownerUrl })).rejects.toThrow(
    new RegExp(`^Cannot open the PostgreSQL database ".*": ${message}`),
  )
})
