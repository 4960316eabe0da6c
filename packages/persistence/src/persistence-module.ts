import { PET_REPOSITORY_FUNCTIONS } from '@pet-store/domain'
import type { BulkAccess, OpenBulkAccess } from './bulk-access.ts'
import { importFromWorkingDirectory, specifierOf } from './import-from-working-directory.ts'
import type { Persistence, PersistenceCapabilities, PersistenceOptions } from './persistence.ts'
import {
  API_KEY_REPOSITORY_FUNCTIONS,
  BULK_ACCESS_FUNCTIONS,
  requiredFunctions,
} from './port-functions.ts'
import { withTimeout } from './with-timeout.ts'

export { importFromWorkingDirectory } from './import-from-working-directory.ts'
export { withTimeout } from './with-timeout.ts'

/** A module that is a persistence adapter. */
export interface PersistenceModule {
  /** What `import` takes to load it again, in another process with the same working directory. */
  readonly specifier: string
  /**
   * Opens the adapter and checks what it returns. Rejects if that takes longer than `timeoutMs`
   * (default: 30,000).
   */
  open(options: PersistenceOptions, timeoutMs?: number): Promise<Persistence>
  /** The same for bulk access. Absent if the module has none. */
  readonly openBulkAccess?: OpenBulkAccess
  /** Absent if the module declares none. */
  readonly capabilities?: PersistenceCapabilities
}

const OPENING_TIMEOUT_MS = 30_000

/**
 * Loads the adapter of the setting `PERSISTENCE_MODULE`: a package, or a path that begins with `.`
 * or `/`, resolved from the working directory. If the module is not an adapter, this function or
 * `open` rejects with an error that names the module and the rule. Whether its capabilities are
 * true is not checked here but by `adapterContract`.
 */
export async function loadPersistenceModule(name: string): Promise<PersistenceModule> {
  const loaded = await importFromWorkingDirectory(name).catch((cause) => {
    const [reason] = (cause as Error).message.split('\n')
    throw new Error(`The persistence module ${JSON.stringify(name)} cannot be loaded: ${reason}`, {
      cause,
    })
  })
  const { default: open, openBulkAccess, capabilities } = loaded
  if (typeof open !== 'function') throw invalidAdapter(name, ruleOfOpening(loaded))
  if (openBulkAccess !== undefined && typeof openBulkAccess !== 'function') {
    throw invalidAdapter(name, 'its openBulkAccess must be a function')
  }
  return {
    specifier: specifierOf(name),
    open: async (options, timeoutMs) =>
      assertPersistence(name, await openInTime(name, open(options), timeoutMs)),
    ...(openBulkAccess !== undefined && {
      async openBulkAccess(options) {
        const opened = await openInTime(name, openBulkAccess(options))
        return assertFunctions<BulkAccess>(
          name,
          'what its openBulkAccess opens',
          opened,
          BULK_ACCESS_FUNCTIONS,
        )
      },
    }),
    ...(capabilities !== undefined && { capabilities: capabilities as PersistenceCapabilities }),
  }
}

/** With what the author has exported instead. */
function ruleOfOpening({ default: given, ...others }: Readonly<Record<string, unknown>>): string {
  const rule = 'its default export must be a function that opens an adapter'
  if (typeof given === 'object' && given !== null && 'default' in given)
    return `${rule}; as CommonJS its default export is module.exports: make it an ES module`
  const names = Object.keys(others)
  return given === undefined && names.length > 0 ? `${rule}; it exports ${names.join(', ')}` : rule
}

function assertPersistence(name: string, opened: unknown): Persistence {
  const parts = Object(opened) as Partial<Persistence>
  assertFunctions(name, 'what it opens', opened, requiredFunctions(parts))
  assertFunctions(name, 'the pets of what it opens', parts.pets, PET_REPOSITORY_FUNCTIONS)
  if (parts.apiKeys !== undefined)
    assertFunctions(
      name,
      'the apiKeys of what it opens',
      parts.apiKeys,
      API_KEY_REPOSITORY_FUNCTIONS,
    )
  return opened as Persistence
}

function assertFunctions<Opened>(
  name: string,
  what: string,
  value: unknown,
  functions: readonly string[],
): Opened {
  const missing = functions.filter((key) => typeof Reflect.get(Object(value), key) !== 'function')
  if (missing.length === 0) return value as Opened
  throw invalidAdapter(
    name,
    `${what} must have the functions ${functions.join(', ')}; it lacks ${missing.join(', ')}`,
  )
}

/** Limits opening, which may otherwise wait forever, for a database that does not respond. */
function openInTime(
  name: string,
  opened: unknown,
  timeoutMs = OPENING_TIMEOUT_MS,
): Promise<unknown> {
  const message =
    `The persistence module ${JSON.stringify(name)} did not open within ${timeoutMs / 1000} s. ` +
    'If it migrates much data, run pet-store migrate first, which waits longer.'
  return withTimeout(opened, timeoutMs, message)
}

function invalidAdapter(name: string, rule: string): Error {
  return new Error(
    `The persistence module ${JSON.stringify(name)} is not a persistence adapter: ${rule}.`,
  )
}
