import { resolve } from 'node:path'
import { inspect } from 'node:util'
import type { Pet } from '@pet-store/domain'
import type { Persistence } from '@pet-store/persistence'
import { importFromWorkingDirectory, loadPersistenceModule } from '@pet-store/persistence/module'
import { withPersistence } from '../adapter/with-persistence.ts'
import { endWithin } from '../case/time-limit.ts'
import { assertHarness, membersOf } from '../harness/harness-members.ts'
import type { PersistenceHarness, RandomCalls } from '../harness/persistence-harness.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { stackOf } from './stack-of.ts'

/** What the command line says about the adapter. */
export interface CheckOptions {
  /** The persistence module: a package or a path. */
  readonly module?: string
  /** An empty database, beside which each case makes its own. */
  readonly url?: string
  /**
   * A module whose default export makes a `PersistenceHarness`, or what it adds to the module's, of
   * the URL.
   */
  readonly harness?: string
  /** How the ids of the cases begin that run; default: all. */
  readonly only?: readonly string[]
  /** How the ids of those begin that are not tested all the same; default: none. */
  readonly skip?: readonly string[]
  /** Which sequences of random calls are made. */
  readonly randomCalls?: RandomCalls
  /** For most cases; default: 20. */
  readonly timeLimitSeconds?: number
}

/** A command line that cannot be followed: exit code 2. */
export class WrongUse extends Error {}

/** Makes the harness of the command line, from a module, from a file, or from both together. */
export async function createHarness({
  module,
  url,
  harness: file,
  randomCalls,
}: CheckOptions): Promise<PersistenceHarness> {
  if (url === undefined && file === undefined)
    throw new WrongUse('Name an empty database with --url.')
  const make = file === undefined ? undefined : await loadHarness(file)
  const base = module === undefined ? {} : await harnessOfModule(module, url ?? '')
  // What a file makes may be the same server for every process.
  const made = make === undefined ? { concurrent: true } : await make(url)
  if (typeof made !== 'object' || made === null)
    throw new WrongUse(`What ${file} makes must be an object with members of a harness.`)
  const members = membersOf(made)
  // The process that ends cases knows their time limits from the command line.
  if (members.randomCalls !== undefined)
    throw new WrongUse('Use --random-calls and --seed instead of randomCalls of the harness.')
  const harness: Partial<PersistenceHarness> = {
    ...base,
    ...members,
    ...(randomCalls !== undefined && { randomCalls }),
  }
  if (harness.open !== undefined && harness.emptyDatabase !== undefined) {
    const complete = harness as PersistenceHarness
    try {
      assertHarness(complete)
    } catch (error) {
      throw new WrongUse((error as Error).message, { cause: error })
    }
    return complete
  }
  throw new WrongUse(
    file === undefined
      ? 'Name the persistence module with --module.'
      : `What ${file} makes must have open and emptyDatabase; or add --module and --url.`,
  )
}

async function loadHarness(file: string): Promise<(url?: string) => unknown> {
  const path = /^[./]/.test(file) ? file : `./${file}`
  const { default: make } = await imported(path)
  if (typeof make === 'function')
    return async (url) => {
      try {
        return await make(url)
      } catch (error) {
        throw new Error(`${file} made no harness:\n${stackOf(error)}`, { cause: error })
      }
    }
  throw new WrongUse(`The default export of ${file} must be a function that makes a harness.`)
}

async function harnessOfModule(name: string, url: string): Promise<PersistenceHarness> {
  // A module that is not there is wrong use; one that is there and no adapter is a broken one.
  await imported(name)
  const { specifier, open, ...adapter } = await loadPersistenceModule(name)
  return {
    ...adapter,
    // The cases limit it: with its own limit, opening that never ends would seem to be rejected.
    open: (options) => open(options, OPENING_LIMIT_MS),
    ...databasesBeside(url),
    module: specifier,
    nodeOptions: process.execArgv,
  }
}

/** A module that Node can import, or an error that says why it cannot. */
async function imported(name: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await importFromWorkingDirectory(name)
  } catch (error) {
    const { message, code } = Object(error) as NodeJS.ErrnoException
    const isMissing = code === 'ERR_MODULE_NOT_FOUND'
    const hint = isMissing && !/^[./]/.test(name) ? ' A path must begin with . or /.' : ''
    // Node names as importer of the module itself a file that need not exist.
    const missing = message?.replace(` imported from ${resolve('package.json')}`, '')
    const place = error instanceof SyntaxError ? `\nnode ${name} shows where.` : ''
    const reason = isMissing ? `${missing}.${hint}` : stackOf(error) + place
    throw new WrongUse(`${name} cannot be imported:\n${reason}`, { cause: error })
  }
}

/**
 * Databases that nobody has used: the URL with a number behind its path, or instead of `{name}`.
 */
function databasesBeside(
  url: string,
): Pick<PersistenceHarness, 'emptyDatabase' | 'databaseBeside'> {
  const [, path = url, parameters = ''] = /^([^?#]*)([?#].*)?$/s.exec(url) ?? []
  const template = url.includes('{name}') ? url : `${path.replace(/\/$/, '')}-{name}${parameters}`
  // Another group of cases may begin in the same millisecond.
  const run = `${Date.now().toString(36)}${process.pid.toString(36)}`
  let databases = 0
  return {
    emptyDatabase: async () => template.replaceAll('{name}', `${run}-${++databases}`),
    databaseBeside: async () => template.replaceAll('{name}', `${run}-${databases}b`),
  }
}

/**
 * Rejects if the database of the command line has pets or keys, because it was probably named by
 * mistake: no case writes to it. Rejects too if the databases of the cases are not empty.
 */
export async function assertEmpty(
  harness: PersistenceHarness,
  { url, harness: file, timeLimitSeconds = 20 }: CheckOptions,
): Promise<void> {
  const limitMs = Math.min(READING_LIMIT_MS, timeLimitSeconds * 1000)
  // Whatever else is wrong is for the cases to find.
  const found = <Result>(work: () => Promise<Result>) =>
    endWithin(limitMs, work).catch(() => undefined)
  if (url !== undefined && file === undefined && !url.includes('{name}')) {
    if (await found(() => isFull(harness, url))) throw new WrongUse(NOT_EMPTY)
  }
  const pet = await found(() => findPetOfOthers(harness))
  if (pet === undefined) return
  const rule =
    file === undefined
      ? 'The adapter must open another database if a number is added to its URL: say with {name} ' +
        'in --url where the number must be, or add a --harness that has emptyDatabase.'
      : `emptyDatabase of ${file} must make an empty one each time.`
  throw new WrongUse(`A new database contains the pet ${inspect(pet)}. ${rule}`)
}

async function isFull({ open }: PersistenceHarness, url: string): Promise<boolean> {
  const opened = await open({ url, mode: 'read' })
  const found = [await opened.pets.list({ limit: 1 }), (await opened.apiKeys?.list()) ?? []]
  await opened.close()
  return found.some((items) => items.length > 0)
}

/** A pet in a database that must be empty, such as one that was added to the one before. */
async function findPetOfOthers(harness: PersistenceHarness): Promise<Pet | undefined> {
  const look = async ({ pets }: Persistence) => {
    const [pet] = await pets.list({ limit: 1 })
    if (pet === undefined) await pets.add(aNewPet())
    return pet
  }
  const lookAtNext = async () =>
    withPersistence(harness, await harness.emptyDatabase({ mayHaveSchema: true }), look)
  return (await lookAtNext()) ?? (await lookAtNext())
}

/** More than any case has. */
const OPENING_LIMIT_MS = 24 * 3_600_000
const READING_LIMIT_MS = 10_000
const NOT_EMPTY =
  'This database is not empty, and a check writes many pets. Name an empty one with --url.'
