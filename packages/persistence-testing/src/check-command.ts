import { importFromWorkingDirectory, loadPersistenceModule } from '@pet-store/persistence/module'
import { checkAdapter, formatReport } from './check-adapter.ts'
import { type PersistenceHarness, withPersistence } from './persistence-harness.ts'

/** What the command line says about the adapter. */
export interface CheckOptions {
  /** The persistence module: a package or a path. */
  readonly module?: string
  /** An empty place, beside which each case makes its own. */
  readonly url?: string
  /** A module whose default export makes a `PersistenceHarness`, or what it adds to the module's, of the URL. */
  readonly harness?: string
  readonly json?: boolean
}

/** A command line that cannot be followed: exit code 2. */
class WrongUse extends Error {}

/**
 * `pet-store-adapter check`: checks an adapter and prints the result. Resolves with the exit code: 0 nothing is broken,
 * 1 something is, 2 wrong use.
 */
export async function checkCommand(options: CheckOptions): Promise<number> {
  let harness: PersistenceHarness | undefined
  let strays = 0
  // Of work that a case has abandoned, or that nothing waits for.
  process.on('uncaughtException', (error) => {
    strays += 1
    console.error(`Outside of any case: ${error.message}`)
  })
  try {
    harness = await harnessOf(options)
    await assertEmpty(harness, options)
    await assertWorks(harness)
    const report = await checkAdapter(harness, showProgress())
    process.stdout.write(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : formatReport(report))
    return strays > 0 || report.guarantees.some(({ result }) => result === 'broken') ? 1 : 0
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return error instanceof WrongUse ? 2 : 1
  } finally {
    await harness?.close?.()
  }
}

async function harnessOf({ module, url, harness: file }: CheckOptions): Promise<PersistenceHarness> {
  if (url === undefined && file === undefined) throw new WrongUse('Name an empty place with --url.')
  const make = file === undefined ? undefined : await loadHarness(file)
  const base = module === undefined ? {} : await harnessOfModule(module, url ?? '').catch(wrongUse)
  const harness = { ...base, ...((await make?.(url)) as Partial<PersistenceHarness> | undefined) }
  if (harness.open !== undefined && harness.emptyDatabase !== undefined) return harness as PersistenceHarness
  throw new WrongUse(
    file === undefined
      ? 'Name the persistence module with --module.'
      : `What ${file} makes must have open and emptyDatabase; or add --module and --url.`,
  )
}

async function loadHarness(file: string): Promise<(url?: string) => unknown> {
  const path = /^[./]/.test(file) ? file : `./${file}`
  const { default: make } = await importFromWorkingDirectory(path).catch(wrongUse)
  if (typeof make === 'function') return make as (url?: string) => unknown
  throw new WrongUse(`The default export of ${file} must be a function that makes a harness.`)
}

function wrongUse(error: unknown): never {
  throw new WrongUse(error instanceof Error ? error.message : String(error), { cause: error })
}

async function harnessOfModule(name: string, url: string): Promise<PersistenceHarness> {
  const { specifier, ...adapter } = await loadPersistenceModule(name)
  return { ...adapter, emptyDatabase: databasesBeside(url), module: specifier, nodeOptions: process.execArgv }
}

/** Places that nobody has used: the URL with a number behind its path, or in the place of `{place}`. */
function databasesBeside(url: string): () => Promise<string> {
  const [, path = url, parameters = ''] = /^([^?#]*)([?#].*)?$/s.exec(url) ?? []
  const template = url.includes('{place}') ? url : `${path.replace(/\/$/, '')}-{place}${parameters}`
  const run = Date.now().toString(36)
  let places = 0
  return async () => template.replaceAll('{place}', `${run}-${++places}`)
}

/** No case writes to the place itself, but whoever names one with pets may have meant another. */
async function assertEmpty({ open }: PersistenceHarness, { url, harness: file }: CheckOptions): Promise<void> {
  if (url === undefined || file !== undefined || url.includes('{place}')) return
  const opened = await open({ url, readOnly: true, create: false }).catch(() => undefined)
  if (opened === undefined) return
  const found = await Promise.all([opened.pets.list({ limit: 1 }), opened.apiKeys?.list() ?? []])
  await opened.close()
  if (found.some((items) => items.length > 0)) throw new WrongUse(`${NOT_EMPTY} Name an empty one with --url.`)
}

const NOT_EMPTY = 'This place is not empty, and a check writes many pets.'

/** One sentence instead of as many as there are guarantees. */
async function assertWorks(harness: PersistenceHarness): Promise<void> {
  await withPersistence(harness, await harness.emptyDatabase(), (opened) => opened.check())
}

/** On a terminal one line that changes, otherwise one line for each capability. */
function showProgress(): (done: number, total: number, capability: string) => void {
  let last = ''
  return (done, total, capability) => {
    if (process.stderr.isTTY)
      process.stderr.write(done === total ? '\r\u001B[K' : `\r\u001B[K${done} of ${total}: ${capability}`)
    else if (capability !== last && done < total) console.error(`${done} of ${total}: ${capability}`)
    last = capability
  }
}
