import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PET_REPOSITORY_FUNCTIONS } from '@pet-store/domain'
import { afterAll, expect, it } from 'vitest'
import { loadPersistenceModule } from './persistence-module.ts'

const folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
afterAll(() => rmSync(folder, { recursive: true }))
let modules = 0
const FUNCTIONS = PET_REPOSITORY_FUNCTIONS.join(', ')
const PETS = `{ ${FUNCTIONS.replaceAll(/\w+/g, '$&: f')} }`

/** Writes a module and returns its path. Its code can use `adapter`, which is a correct one. */
function written(code: string): string {
  const path = join(folder, `${++modules}.mjs`)
  const start = `const f = async () => {}
    const adapter = { pets: ${PETS}, check: f, close: f }
    const none = {
      severalProcesses: false, sharedLimits: false, bulkAccess: false, replicas: false,
    }\n`
  writeFileSync(path, start + code)
  return path
}

const OPTIONS = { url: 'anything' }

it('loadPersistenceModule opens what a module exports, even an instance of a class', async () => {
  const path = written(`class Mine {
      #n = 1
      pets = adapter.pets
      async check() { return this.#n }
      async close() {}
    }
    export default async () => new Mine()
    export const openBulkAccess = async () => ({})
    export const capabilities = { ...none, bulkAccess: true }`)
  const { open, openBulkAccess, capabilities, specifier } = await loadPersistenceModule(path)
  expect(await (await open(OPTIONS)).check()).toBe(1)
  expect(capabilities).toMatchObject({ bulkAccess: true, replicas: false })
  expect(specifier).toBe(`file://${path}`)
  await expect(openBulkAccess?.(OPTIONS)).rejects.toThrow(
    'what its openBulkAccess opens must have the functions',
  )
})

it.each([
  ['export default 5', 'its default export must be a function that opens an adapter'],
  [
    'export const capabilities = none, open = f',
    'its default export must be a function that opens an adapter; it exports capabilities, open',
  ],
  [
    "export default { default: f }; export { f as 'module.exports' }",
    'its default export must be a function that opens an adapter; ' +
      'as CommonJS its default export is module.exports: make it an ES module',
  ],
  [
    'export default () => adapter; export const openBulkAccess = {}',
    'its openBulkAccess must be a function',
  ],
])('loadPersistenceModule names the rule that a module breaks: %s', async (code, rule) => {
  const path = written(code)
  await expect(loadPersistenceModule(path)).rejects.toThrow(
    new Error(`The persistence module "${path}" is not a persistence adapter: ${rule}.`),
  )
})

it.each([
  ['undefined', 'what it opens must have the functions check, close; it lacks check, close'],
  [
    '{ ...adapter, check: 5 }',
    'what it opens must have the functions check, close; it lacks check',
  ],
  [
    '{ ...adapter, pets: undefined }',
    `the pets of what it opens must have the functions ${FUNCTIONS}; it lacks ${FUNCTIONS}`,
  ],
  [
    '{ ...adapter, apiKeys: { add: f, find: f, list: f } }',
    'the apiKeys of what it opens must have the functions ' +
      'add, replace, find, findByHash, list, revoke, markUsed; ' +
      'it lacks replace, findByHash, revoke, markUsed',
  ],
  [
    '{ ...adapter, createRateLimiter: f, isMigrated: true, poolUse: [] }',
    'what it opens must have the functions check, close, createRateLimiter, isMigrated, poolUse; ' +
      'it lacks isMigrated, poolUse',
  ],
])('opening names the rule that an adapter breaks: %s', async (opened, rule) => {
  const path = written(`export default async () => (${opened})`)
  const { open } = await loadPersistenceModule(path)
  await expect(open(OPTIONS)).rejects.toThrow(
    new Error(`The persistence module "${path}" is not a persistence adapter: ${rule}.`),
  )
})

it('an opening that never settles is rejected', async () => {
  const path = written('export default () => new Promise(() => {})')
  const { open } = await loadPersistenceModule(path)
  await expect(open(OPTIONS, 20)).rejects.toThrow(
    `The persistence module "${path}" did not open within 0.02 s.`,
  )
})

it.each([
  ['./missing.mjs', 'Cannot find module'],
  ['no-such-package', "Cannot find package 'no-such-package'"],
])('loadPersistenceModule says that %s cannot be loaded', async (name, reason) => {
  await expect(loadPersistenceModule(name)).rejects.toThrow(
    `The persistence module "${name}" cannot be loaded: ${reason}`,
  )
})
