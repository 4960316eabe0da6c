import assert from 'node:assert/strict'
import { PET_STATUSES } from '@pet-store/domain'
import type { Persistence, PersistenceOptions } from '@pet-store/persistence'
import { descriptorCount, descriptorsLeft } from '../adapter/descriptor-count.ts'
import { expectBulkWorks } from '../adapter/expect-bulk-works.ts'
import { expectWorks } from '../adapter/expect-works.ts'
import { allEnded } from '../adapter/outage.ts'
import { withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { assertTested } from '../case/not-tested.ts'
import { memberOf } from '../harness/harness-members.ts'
import type { HarnessCase, PersistenceHarness } from '../harness/persistence-harness.ts'
import { assertSeveralProcesses } from '../harness/several-processes.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { listAll } from '../test-data/stored-pets.ts'

const GROUP = { group: 'persistence.migrate', timeLimitMs: 120_000 }

/** The schema changes only when opening may migrate it, and the adapter has what it declares. */
export const migratingCases: readonly HarnessCase[] = casesOf(GROUP, {
  'empty: does not open an empty database without migrate, and leaves it empty': async (
    harness,
  ) => {
    await withPersistence(harness, await harness.emptyDatabase(), async (persistence) => {
      assertTested(
        persistence.isMigrated,
        'the adapter has no migrations, so an empty database is not outdated',
      )
      expectEqual(await persistence.isMigrated(), true, 'isMigrated after opening with migrate')
    })
    const url = await harness.emptyDatabase()
    for (const mode of [undefined, 'write', 'read', undefined] as const) {
      const options = { url, ...(mode && { mode }) }
      // Twice: the first attempt must not have created the schema.
      await expectNotOpened(harness, options)
      await expectNotOpened(harness, options)
      const { openBulkAccess } = harness
      if (openBulkAccess) await expectNotOpened({ open: openBulkAccess }, options)
    }
    await withPersistence(harness, url, ({ pets }) => pets.add(aNewPet()))
    const persistence = await harness.open({ url, mode: 'write' })
    await persistence.close()
  },
  'read-only: opens no missing database without migrate, for bulk access neither': async (
    harness,
  ) => {
    const url = await harness.emptyDatabase()
    const isThere = async () => {
      const opened = await harness.open({ url, mode: 'write' }).catch(() => undefined)
      await opened?.close()
      return opened !== undefined
    }
    assertTested(
      !(await isThere()),
      'an empty database of this adapter opens without being created',
    )
    const { open, openBulkAccess } = harness
    for (const mode of ['read', 'write', undefined] as const) {
      for (const opening of [open, ...(openBulkAccess ? [openBulkAccess] : [])]) {
        await expectNotOpened({ open: opening }, { url, ...(mode && { mode }) })
        expectEqual(await isThere(), false, `whether an opening in the mode ${mode} has created it`)
      }
    }
  },
  'outdated: opens an outdated database only with migrate, migrates it, and keeps its pets': async (
    harness,
  ) => {
    const outdatedDatabase = memberOf(harness, 'outdatedDatabase')
    const { url, pets: old, restore } = await outdatedDatabase()
    // The first of them must not have migrated it for the next.
    for (const mode of ['write', 'read', 'write'] as const) {
      await expectNotOpened(harness, { url, mode })
      const { openBulkAccess } = harness
      if (openBulkAccess) await expectNotOpened({ open: openBulkAccess }, { url, mode })
    }
    await expectNothingLeft(harness, url)
    await withPersistence(harness, url, async (persistence) => {
      const { pets } = persistence
      expectEqual(await persistence.isMigrated?.(), true, 'isMigrated after opening with migrate')
      expectEqual(await listAll(pets), old, 'list must return the pets from before the migration')
      for (const pet of old)
        expectEqual(await pets.find(pet.id), pet, 'find must return a pet from before')
      for (const status of PET_STATUSES) {
        const expected = old.filter((pet) => pet.status === status)
        expectEqual(
          await pets.list({ status, limit: 1_000 }),
          expected,
          `the pets from before that are ${status}`,
        )
      }
      const added = await pets.add(aNewPet())
      expectEqual(
        await listAll(pets),
        [...old, added],
        'list must return the pets from before the migration, and a new one',
      )
      if (restore === undefined || persistence.isMigrated === undefined) return
      await restore()
      expectEqual(await persistence.isMigrated(), false, 'isMigrated of an older schema')
    })
  },
  'newer: opens a database that has a migration of a newer version, and is up to date': async (
    harness,
  ) => {
    const { url, pets: old } = await memberOf(harness, 'newerDatabase')()
    for (const mode of [undefined, 'write', 'migrate', 'read'] as const) {
      const opened = await harness.open({ url, ...(mode && { mode }) })
      try {
        expectEqual(await opened.isMigrated?.(), true, 'isMigrated of a newer schema')
        await opened.check()
        expectEqual(await listAll(opened.pets), old, 'the pets of a newer schema')
      } finally {
        await opened.close()
      }
    }
    await withPersistence(harness, url, async ({ pets }) => {
      const added = await pets.add(aNewPet())
      expectEqual(await listAll(pets), [...old, added], 'the pets after an add to a newer schema')
    })
  },
  'while-open: works on when a newer version migrates the database that is open': async (
    harness,
  ) => {
    const migrateToNewer = memberOf(harness, 'migrateToNewer')
    const url = await harness.emptyDatabase()
    await withPersistence(harness, url, async (opened) => {
      await expectEachConnectionWorks(opened, 'before')
      const { openBulkAccess, capabilities } = harness
      const mayOpen = capabilities?.severalProcesses
      const bulk = mayOpen ? await openBulkAccess?.({ url, mode: 'write' }) : undefined
      try {
        if (bulk !== undefined) await expectBulkWorks(bulk, 1_001n)
        await migrateToNewer(url)
        await expectEachConnectionWorks(opened, 'after')
        if (bulk !== undefined) await expectBulkWorks(bulk, 2_001n)
      } finally {
        await bulk?.close()
      }
    })
  },
  'at-once: migrates an outdated database once when several openings come at the same time': async (
    harness,
  ) => {
    const outdatedDatabase = memberOf(harness, 'outdatedDatabase')
    assertSeveralProcesses(harness)
    const { url, pets: old } = await outdatedDatabase()
    const openings = await Promise.allSettled(
      [1, 2, 3].map(async () => harness.open({ url, mode: 'migrate' })),
    )
    const opened = openings.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    try {
      expectEqual(opened.length, openings.length, 'the number of openings that resolve')
      for (const { pets } of opened)
        expectEqual(
          await listAll(pets),
          old,
          'each opening must list the pets from before the migration',
        )
    } finally {
      for (const one of opened) await one.close()
    }
  },
})

/** Every connection of an adapter has executed each statement then, if it has so few. */
async function expectEachConnectionWorks(opened: Persistence, label: string): Promise<void> {
  const works = Array.from({ length: CONNECTIONS }, (_, index) =>
    expectWorks(opened, `${label} ${index}`),
  )
  await allEnded(works)
}

const CONNECTIONS = 4

/** Nobody can close what an opening that is rejected leaves open. */
async function expectNothingLeft(harness: PersistenceHarness, url: string): Promise<void> {
  const { open, openBulkAccess } = harness
  for (const opening of [open, ...(openBulkAccess ? [openBulkAccess] : [])]) {
    for (const mode of ['write', 'read'] as const) {
      const before = descriptorCount()
      for (let turns = 0; turns < TURNS; turns += 1)
        await expectNotOpened({ open: opening }, { url, mode })
      const left = await descriptorsLeft(before, TURNS / 2)
      assert.ok(
        left < TURNS / 2,
        `${TURNS} openings in the mode ${mode} that are rejected, as the schema is outdated, ` +
          `must leave nothing open, but left ${left} descriptors`,
      )
    }
  }
}

const TURNS = 8

function expectNotOpened(
  { open }: { readonly open: (options: PersistenceOptions) => Promise<{ close(): Promise<void> }> },
  options: PersistenceOptions,
): Promise<void> {
  return expectRejection(async () => {
    const opened = await open(options).catch((error: Error) => {
      expectEqual(error.message === '', false, 'whether the error of opening says nothing')
      throw error
    })
    // That closing rejects is too late.
    await opened.close().catch(() => undefined)
  }, 'opening must reject without the mode migrate when the schema is missing or outdated')
}
