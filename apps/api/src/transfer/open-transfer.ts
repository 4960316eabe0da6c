import { PAGE_LIMIT, type PetRepository } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import { openPersistence, type PersistenceUse, persistenceAdapter } from '../persistence/open-persistence.ts'
import type { Settings } from '../settings/settings.ts'

/** Moves pets into and out of a database. With bulk access also what is stored about imports. */
export type PetTransfer = Pick<BulkAccess, 'readPets' | 'addPets'> & Partial<Pick<BulkAccess, 'readPetImports'>>

/** Does some work on the database of the settings: in bulk, or through the port alone. */
export async function withTransfer<Result>(
  settings: Settings,
  use: PersistenceUse,
  work: (transfer: PetTransfer) => Promise<Result>,
): Promise<Result> {
  if (await persistenceAdapter(settings).hasBulkAccess()) return withBulkAccess(settings, use, work)
  if (!use.readOnly) {
    console.error(
      'This adapter has no bulk access: pets are stored one by one, and what is interrupted cannot be continued.',
    )
  }
  const opened = await openPersistence(settings, use)
  try {
    return await work(transferPageByPage(opened.pets))
  } finally {
    await opened.close()
  }
}

/** Does some work on the database of the settings, in bulk. Rejects before anything is opened if its adapter cannot do that. */
export async function withBulkAccess<Result>(
  settings: Settings,
  use: PersistenceUse,
  work: (bulk: BulkAccess) => Promise<Result>,
): Promise<Result> {
  const migrate = settings.migrateOnStart && use.readOnly !== true
  const bulk = await persistenceAdapter(settings).openBulkAccess({ migrate, ...use })
  try {
    return await work(bulk)
  } finally {
    await bulk.close()
  }
}

/** The number of pets that are added at the same time without bulk access. */
const CONCURRENCY = 16

/** New pets get new ids, not always in the order of their addition. */
function transferPageByPage(pets: PetRepository): PetTransfer {
  return {
    readPets: ({ limit, ...query }) => pets.list({ ...query, limit: Math.min(limit, PAGE_LIMIT.max) }),
    async addPets(added) {
      for (let start = 0; start < added.length; start += CONCURRENCY) {
        await Promise.all(added.slice(start, start + CONCURRENCY).map((pet) => pets.add(pet)))
      }
    },
  }
}
