import type { PersistenceOptions } from '@pet-store/persistence'
import { casesOf, expectEqual, expectRejection } from '../contract-case.ts'
import { aNewPet } from '../new-pets.ts'
import { type HarnessCase, withPersistence } from '../persistence-harness.ts'

/** The schema changes only when opening may migrate it, and the adapter has what it declares. */
export const migratingCases: readonly HarnessCase[] = casesOf('persistence.migrate', [
  {
    id: 'working',
    name: 'says that it works and is migrated after it was opened with migrate',
    async run(harness) {
      const url = await harness.emptyPlace()
      return withPersistence(harness, url, async (persistence) => {
        await persistence.check()
        if (persistence.isMigrated === undefined) return 'the adapter has no migrations; check() resolved'
        expectEqual(await persistence.isMigrated(), true, 'isMigrated after opening with migrate')
        return undefined
      })
    },
  },
  {
    id: 'empty',
    name: 'does not open an empty place without migrate, and leaves it empty',
    async run(harness) {
      const hasMigrations = await withPersistence(harness, await harness.emptyPlace(), async (persistence) => {
        return persistence.isMigrated !== undefined
      })
      const url = await harness.emptyPlace()
      if (!hasMigrations) return 'the adapter has no migrations, so an empty place is not outdated'
      // A caller that only reads changes nothing, whatever else it says.
      const readOnly = { url, migrate: true, readOnly: true }
      for (const options of [{ url }, { url, migrate: false }, readOnly, { url }]) {
        // Twice: the first attempt must not have created the schema.
        await expectNotOpened(harness, options)
        await expectNotOpened(harness, options)
      }
      await withPersistence(harness, url, ({ pets }) => pets.add(aNewPet()))
      const persistence = await harness.open({ url, migrate: false })
      await persistence.close()
      return undefined
    },
  },
  {
    id: 'outdated',
    name: 'does not open an outdated place without migrate, and migrates it with migrate',
    async run(harness) {
      const url = await harness.outdatedPlace?.()
      if (url === undefined) return 'the harness makes no place with an outdated schema'
      await expectNotOpened(harness, { url, migrate: false })
      await withPersistence(harness, url, async (persistence) => {
        expectEqual(await persistence.isMigrated?.(), true, 'isMigrated after opening with migrate')
        await persistence.pets.add(aNewPet())
      })
      return undefined
    },
  },
])

function expectNotOpened({ open }: Parameters<HarnessCase['run']>[0], options: PersistenceOptions): Promise<void> {
  return expectRejection(
    async () => (await open(options)).close(),
    'opening without migrate must reject when the schema is missing or outdated',
  )
}
