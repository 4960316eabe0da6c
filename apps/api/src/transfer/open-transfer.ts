import { PAGE_LIMIT, type PetRepository } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import { openPersistence, type PersistenceUse, persistenceAdapter } from '../persistence/open-persistence.ts'
import type { Settings } from '../settings/settings.ts'

/** Moves pets into and out of a database. Everything besides is there only if the adapter has bulk access. */
export type PetTransfer = Pick<BulkAccess, 'readPets' | 'addPets'> & Partial<Omit<BulkAccess, 'close'>>

/** The number of pets that are added at the same time without bulk access. */
const CONCURRENCY = 16

/** Whether the database of the settings can be read and written in bulk. Opens nothing, so that a command can say it first. */
export function hasBulkAccess(settings: Settings): Promise<boolean> {
  return persistenceAdapter(settings).hasBulkAccess()
}

/** Does some work on the database of the settings. */
export async function withTransfer<Result>(
  settings: Settings,
  use: PersistenceUse,
  work: (transfer: PetTransfer) => Promise<Result>,
): Promise<Result> {
  const migrate = settings.migrateOnStart && use.readOnly !== true
  const bulk = await persistenceAdapter(settings).openBulkAccess({ migrate, ...use })
  const opened = bulk ?? (await openPersistence(settings, use))
  try {
    return await work('pets' in opened ? transferPageByPage(opened.pets) : opened)
  } finally {
    await opened.close()
  }
}

/**
 * Moves pets through the port alone: page by page, one pet at a time. Nothing is stored about imports, so an interrupted
 * one cannot be continued; new pets get new ids, not always in the order of their addition.
 */
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
