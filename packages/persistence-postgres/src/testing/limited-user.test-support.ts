import { aNewPet } from '@pet-store/persistence-testing'
import { runSql } from '@pet-store/testing-postgres'
import { beforeEach, expect, onTestFinished } from 'vitest'
import { migratePostgres } from '../migrations.ts'
import { openPostgresPersistence, type PostgresPersistence } from '../open-persistence.ts'
import { useDatabase } from './temporary-database.test-support.ts'

/** A user of a database with only the rights that the service needs. */
export interface LimitedUser {
  readonly role: string
  /** The database as the user opens it, and as its owner does. */
  readonly url: string
  readonly ownerUrl: string
  /** Runs SQL as the owner. */
  readonly onServer: (sql: string) => ReturnType<typeof runSql>
  /** The adapter of the user. */
  readonly persistence: PostgresPersistence
}

/** Gives each test of a file a new user with few rights, on a migrated database without pets. */
export function useLimitedUser(): LimitedUser {
  const database = useDatabase()
  const role = `pet_clerk_${process.pid}`
  const onServer = (sql: string) => runSql(database.url, sql)
  let persistence: PostgresPersistence
  const user: LimitedUser = {
    role,
    onServer,
    get url() {
      return Object.assign(new URL(database.url), { username: role }).href
    },
    get ownerUrl() {
      return database.url
    },
    get persistence() {
      return persistence
    },
  }

  beforeEach(async () => {
    await migratePostgres({ url: database.url })
    await onServer(`create role ${role} login; grant select, insert, update, delete
      on all tables in schema public to ${role};
      grant usage on all sequences in schema public to ${role}`)
    persistence = await openPostgresPersistence({ url: user.url })
    onTestFinished(async () => {
      await persistence.close()
      await onServer(`drop owned by ${role}; drop role ${role}`)
      await onServer(`truncate pet, idempotency_key restart identity`)
    })
    await persistence.check()
  })
  return user
}

/** The use of an idempotency key. */
export function aKeyUse(): Parameters<PostgresPersistence['pets']['addWithKey']>[1] {
  return { owner: 'shop', key: 'k', fingerprint: 'f', at: new Date() }
}

/** Every creation is rejected in the same way, with and without a key. */
export async function expectNothingStored(
  { persistence }: LimitedUser,
  code: string,
): Promise<void> {
  for (const add of [
    () => persistence.pets.add(aNewPet()),
    () => persistence.pets.addWithKey(aNewPet(), aKeyUse()),
  ]) {
    await expect(add()).rejects.toMatchObject({
      code: 'persistence_unavailable',
      outcome: 'not_stored',
      cause: { code },
    })
  }
}
