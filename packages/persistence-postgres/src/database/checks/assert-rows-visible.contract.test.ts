import { expect, it, onTestFinished } from 'vitest'
import { openPostgresPersistence } from '../../open-persistence.ts'
import { useLimitedUser } from '../../testing/limited-user.test-support.ts'

const user = useLimitedUser()
const { onServer, role } = user

it.each([
  ['pet', 'select 1'],
  ['idempotency_key', 'create policy allowed on idempotency_key for select using (true)'],
  ['api_key', 'create policy allowed on api_key to pg_monitor using (true)'],
])('a database whose table %s is hidden by row-level security is not ready', async (table, but) => {
  const restore = `alter table ${table} disable row level security;
    drop policy if exists allowed on ${table}`
  onTestFinished(async () => void (await onServer(restore)))
  await onServer(`alter table ${table} enable row level security; ${but}`)
  await expect(user.persistence.check()).rejects.toThrow(
    `Row-level security hides the table ${table}.`,
  )
  await onServer(`create policy all_rows on ${table} to ${role} using (true)`)
  await user.persistence.check()
})

it('a start that cannot see the migrations says so', async () => {
  await onServer('alter table migration enable row level security')
  onTestFinished(
    async () => void (await onServer('alter table migration disable row level security')),
  )
  await expect(openPostgresPersistence({ url: user.url })).rejects.toThrow(
    'hides the table migration.',
  )
})
