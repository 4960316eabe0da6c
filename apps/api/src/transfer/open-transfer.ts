import { PAGE_LIMIT, type PetRepository } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import { openPersistence, type PersistenceUse, persistenceAdapter } from '../persistence/open-persistence.ts'
import type { Settings } from '../settings/settings.ts'

/** Moves pets into and out of a database. With bulk access also what is stored about imports. */
export type PetTransfer = Pick<BulkAccess, 'readPets' | 'addPets'> & Partial<Pick<BulkAccess, 'readPetImports'>>

/** Does some work on the database of the settings: in bulk, or through the port alone. */
export async function withTransfer(
  settings: Settings,
  use: PersistenceUse,
  work: (transfer: PetTransfer) => Promise<void>,
): Promise<void> {
  const bulk = await openBulkAccess(settings, use)
  if (bulk !== undefined) return closing(bulk, work)
  if (!use.readOnly) {
    console.error(
      'This adapter has no bulk access: pets are stored one by one, and what is interrupted cannot be continued.',
    )
  }
  return closing(await openPersistence(settings, use), ({ pets }) => work(transferPageByPage(pets)))
}

/** Does some work on the database of the settings, in bulk. Rejects if its adapter cannot do that. */
export async function withBulkAccess<Result>(
  settings: Settings,
  use: PersistenceUse,
  work: (bulk: BulkAccess) => Promise<Result>,
): Promise<Result> {
  const bulk = await openBulkAccess(settings, use)
  if (bulk !== undefined) return closing(bulk, work)
  const name = JSON.stringify(settings.persistenceModule)
  throw new Error(`The persistence module ${name} has no bulk access, which this command needs.`)
}

function openBulkAccess(settings: Settings, use: PersistenceUse): Promise<BulkAccess | undefined> {
  const migrate = settings.migrateOnStart && use.readOnly !== true
  return persistenceAdapter(settings).openBulkAccess({ migrate, ...use })
}

async function closing<Opened extends { close(): Promise<void> }, Result>(
  opened: Opened,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(opened)
  } finally {
    await opened.close()
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
