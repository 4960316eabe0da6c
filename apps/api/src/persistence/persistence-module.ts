import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { OpenPersistence, Persistence, PersistenceOptions } from '@pet-store/persistence'
import type { PersistenceAdapter } from './persistence-adapter.ts'

/**
 * The adapter of a third party: an ES module whose default export is an `OpenPersistence`. How it is brought up to date is
 * its own affair, so migrating is opening it with the permission to do so.
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
    pending: async () => [],
  }
}

async function load(name: string): Promise<OpenPersistence> {
  const module = await importFrom(name)
  if (typeof module.default !== 'function')
    throw unfit(name, 'its default export must be a function that opens a storage')
  // What it gives is looked at when it was called; the rest of its type is a promise of its author.
  return module.default as OpenPersistence
}

async function importFrom(name: string): Promise<{ readonly default?: unknown }> {
  try {
    return await (/^[./]/.test(name) ? import(pathToFileURL(resolve(name)).href) : importPackage(name))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    throw new Error(`PERSISTENCE_MODULE ${JSON.stringify(name)} cannot be loaded: ${reason}`, { cause })
  }
}

/**
 * Packages are looked for from the working directory, where the operator writes the setting, by the rules of `import`:
 * those of `require` do not see packages that are ES modules only.
 */
async function importPackage(name: string): Promise<{ readonly default?: unknown }> {
  const parentURL = pathToFileURL(resolve('package.json')).href
  const hooks = registerHooks({
    resolve: (asked, context, next) => next(asked, asked === name ? { ...context, parentURL } : context),
  })
  try {
    return await import(name)
  } finally {
    hooks.deregister()
  }
}

function expectPersistence(name: string, storage: Partial<Persistence> | undefined): Persistence {
  const { pets } = storage ?? {}
  const functions = [pets?.add, pets?.addWithKey, pets?.find, pets?.list, storage?.check, storage?.close]
  if (functions.every((one) => typeof one === 'function')) return storage as Persistence
  throw unfit(name, 'what it opens must have pets with add, addWithKey, find and list, check(), and close()')
}

function unfit(name: string, rule: string): Error {
  return new Error(`PERSISTENCE_MODULE ${JSON.stringify(name)} is no adapter: ${rule}.`)
}
