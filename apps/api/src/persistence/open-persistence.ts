import { type ApiKeyRepository, createMemoryRateLimiter } from '@pet-store/access'
import { createMemoryApiKeys } from '@pet-store/access/memory'
import type { BulkAccess, OpenMode, Persistence, PersistenceOptions } from '@pet-store/persistence'
import type { Settings } from '../settings/settings.ts'
import { assertNotInMemory } from './assert-not-in-memory.ts'
import { persistenceAdapter } from './persistence-adapter.ts'

/**
 * What opening the database may change, and the functions that get its reports. Default of `mode`:
 * what the settings allow, `migrate` or `write`.
 */
export type PersistenceUse = Pick<
  PersistenceOptions,
  'mode' | 'onBackgroundFailure' | 'onStatement'
>

/**
 * Opens the database that the settings name. Rejects with a sentence if it cannot, or if migrations
 * are pending and must not run.
 */
export async function openPersistence(
  settings: Settings,
  use: PersistenceUse = {},
): Promise<Required<Persistence>> {
  const { open } = await persistenceAdapter(settings)
  return withDefaults(await open({ mode: modeOf(settings), ...use }))
}

/**
 * The same for bulk access, which commands use; `undefined`, and nothing is opened, if the adapter
 * has none.
 */
export async function openBulkAccess(
  settings: Settings,
  use: PersistenceUse = {},
): Promise<BulkAccess | undefined> {
  assertNotInMemory(settings)
  const { openBulkAccess: open } = await persistenceAdapter(settings)
  return open?.({ mode: modeOf(settings), ...use })
}

function modeOf({ migrateOnStart }: Settings): OpenMode {
  return migrateOnStart ? 'migrate' : 'write'
}

/**
 * Opens the database that the settings name for bulk access, runs work on it, and closes it.
 * Rejects if its adapter has no bulk access.
 */
export async function withBulkAccess<Result>(
  settings: Settings,
  use: PersistenceUse,
  work: (bulk: BulkAccess) => Promise<Result>,
): Promise<Result> {
  const bulk = await openBulkAccess(settings, use)
  if (bulk === undefined) {
    const name = JSON.stringify(settings.persistenceModule)
    throw new Error(`The persistence module ${name} has no bulk access, which this command needs.`)
  }
  try {
    return await work(bulk)
  } finally {
    await bulk.close()
  }
}

/**
 * Adds the functions that an adapter may leave out, so that the rest of the program need not check
 * for them. It calls the functions of the opened object instead of copying them, because that may
 * be an instance of a class.
 */
function withDefaults(opened: Persistence): Required<Persistence> {
  return {
    pets: opened.pets,
    apiKeys: opened.apiKeys ?? noApiKeys,
    createRateLimiter: (limit) =>
      opened.createRateLimiter?.(limit) ?? createMemoryRateLimiter(limit),
    check: () => opened.check(),
    isMigrated: async () => (await opened.isMigrated?.()) ?? true,
    replicaProblems: async () => (await opened.replicaProblems?.()) ?? [],
    readClock: async () => (await opened.readClock?.()) ?? new Date(),
    poolUse: () => opened.poolUse?.() ?? [],
    close: () => opened.close(),
  }
}

/** For an adapter that stores no API keys: an empty repository, in which none can be created. */
const noApiKeys: ApiKeyRepository = {
  ...createMemoryApiKeys(),
  async add() {
    throw new Error(
      'The adapter of PERSISTENCE_MODULE stores no API keys. Put their hashes into ' +
        'API_KEYS_SHA256 instead.',
    )
  },
}
