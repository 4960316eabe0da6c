import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { OpenBulkAccess, OpenPersistence, Persistence, PersistenceOptions } from '@pet-store/persistence'
import type { PersistenceAdapter } from './persistence-adapter.ts'

/**
 * A third-party adapter: an ES module whose default export is an `OpenPersistence`. It migrates its database by itself, so
 * migrating means opening it with the permission to do so.
 */
export function persistenceModule(name: string, url: string): PersistenceAdapter {
  const open = async (mode: Omit<PersistenceOptions, 'url'>) =>
    expectPersistence(name, await (await load(name))({ url, ...mode }))
  return {
    open,
    async migrate() {
      await (await open({ migrate: true })).close()
      return []
    },
    async openBulkAccess(mode) {
      const { openBulkAccess } = await importFrom(name)
      if (openBulkAccess === undefined) return undefined
      if (typeof openBulkAccess !== 'function') throw unfit(name, 'its openBulkAccess must be a function')
      return (openBulkAccess as OpenBulkAccess)({ url, ...mode })
    },
    pending: async () => [],
  }
}

interface AdapterModule {
  readonly default?: unknown
  readonly openBulkAccess?: unknown
}

async function load(name: string): Promise<OpenPersistence> {
  const module = await importFrom(name)
  if (typeof module.default !== 'function')
    throw unfit(name, 'its default export must be a function that opens an adapter')
  // `expectPersistence` checks what it returns; the rest of its type is its author's responsibility.
  return module.default as OpenPersistence
}

async function importFrom(name: string): Promise<AdapterModule> {
  try {
    return await (/^[./]/.test(name) ? import(pathToFileURL(resolve(name)).href) : importPackage(name))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    throw new Error(`PERSISTENCE_MODULE ${JSON.stringify(name)} cannot be loaded: ${reason}`, { cause })
  }
}

/**
 * Resolves a package from the working directory, where the operator writes the setting, by the rules of `import`:
 * `require.resolve` does not find packages that are ES modules only.
 */
async function importPackage(name: string): Promise<AdapterModule> {
  const parentURL = pathToFileURL(resolve('package.json')).href
  const hooks = registerHooks({
    resolve: (specifier, context, next) => next(specifier, specifier === name ? { ...context, parentURL } : context),
  })
  try {
    return await import(name)
  } finally {
    hooks.deregister()
  }
}

function expectPersistence(name: string, opened: Partial<Persistence> | undefined): Persistence {
  const { pets } = opened ?? {}
  const functions = [pets?.add, pets?.addWithKey, pets?.find, pets?.list, opened?.check, opened?.close]
  if (functions.every((one) => typeof one === 'function')) return opened as Persistence
  throw unfit(name, 'what it opens must have pets with add, addWithKey, find and list, check(), and close()')
}

function unfit(name: string, rule: string): Error {
  return new Error(`PERSISTENCE_MODULE ${JSON.stringify(name)} is not a persistence adapter: ${rule}.`)
}
