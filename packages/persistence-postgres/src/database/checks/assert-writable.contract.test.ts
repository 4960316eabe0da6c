import { aNewPet } from '@pet-store/persistence-testing'
import { runSql } from '@pet-store/testing-postgres'
import { expect, it, onTestFinished } from 'vitest'
import { openPostgresPersistence } from '../../open-persistence.ts'
import { expectNothingStored, useLimitedUser } from '../../testing/limited-user.test-support.ts'

const user = useLimitedUser()
const { onServer, role } = user

it.each([
  ['to insert pets', `revoke insert on pet from ${role}`, 'insert on pet'],
  [
    'to use the sequence',
    `revoke usage on sequence pet_id_seq from ${role}`,
    'usage on the sequence of pet',
  ],
])(
  'a database without the right %s is not ready, and nothing is stored',
  async (_, revoke, right) => {
    await onServer(revoke)
    await expect(user.persistence.check()).rejects.toThrow(`lacks the right to ${right}.`)
    await expectNothingStored(user, '42501')
  },
)

it.each([
  ['a lost right to count requests', `revoke update on request_count from ${role}`],
  ['no key of counted requests', 'alter table request_count drop constraint request_count_pkey'],
  ['hidden counts of requests', 'alter table request_count enable row level security'],
  ['no table of counted requests', 'alter table request_count rename to counted'],
])('a database with %s is not ready once requests are counted', async (_, lose) => {
  const restore = `alter table if exists counted rename to request_count;
    alter table request_count disable row level security;
    alter table request_count drop constraint if exists request_count_pkey;
    alter table request_count add primary key (key_id)`
  onTestFinished(async () => void (await onServer(restore)))
  await onServer(lose)
  await user.persistence.check()
  const limiter = user.persistence.createRateLimiter({ requests: 5, windowMs: 60_000 })
  await expect(user.persistence.check()).rejects.toThrow('request_count')
  await expect(limiter.take('key_kiosk')).rejects.toMatchObject({ code: 'persistence_unavailable' })
})

it('a database that is read-only is not ready, and stores nothing', async () => {
  const url = new URL(user.url)
  url.searchParams.set('options', '-c default_transaction_read_only=on')
  const readOnly = await openPostgresPersistence({ url: url.href })
  onTestFinished(() => readOnly.close())
  await expect(readOnly.check()).rejects.toThrow('The database is read-only')
  await expect(readOnly.pets.add(aNewPet())).rejects.toMatchObject({ outcome: 'not_stored' })
})

it('a database that quotes all names is ready', async () => {
  const url = new URL(user.ownerUrl)
  url.searchParams.set('options', '-cquote_all_identifiers=on')
  const quoted = await openPostgresPersistence({ url: url.href })
  onTestFinished(() => quoted.close())
  await quoted.check()
})

it('a database without one of its tables is not ready, and nothing is stored', async () => {
  await onServer('alter table pet rename to animal')
  onTestFinished(async () => void (await onServer('alter table animal rename to pet')))
  await expect(user.persistence.check()).rejects.toMatchObject({ code: '42P01' })
  await expectNothingStored(user, '42P01')
})

it('a database with a distributed table is ready even while that is locked', async () => {
  await onServer(
    "create table pg_dist_partition as select 'pet'::regclass as logicalrelid, 'h' as partmethod",
  )
  await onServer(`grant select on pg_dist_partition to ${role}`)
  onTestFinished(async () => void (await onServer('drop table pg_dist_partition')))
  const distributed = await openPostgresPersistence({ url: user.url, statementTimeoutMs: 500 })
  onTestFinished(() => distributed.close())
  const locking = runSql(user.ownerUrl, 'begin; lock table pet; select pg_sleep(2)')
  await expect
    .poll(() =>
      onServer(
        "select 1 from pg_locks where mode = 'AccessExclusiveLock' and relation = 'pet'::regclass",
      ),
    )
    .toHaveLength(1)
  await distributed.check()
  await locking
})
