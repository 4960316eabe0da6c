import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { apiKeyState } from '@pet-store/access'
import type { Persistence } from '@pet-store/persistence'
import { noApiKeys } from '../persistence/no-api-keys.ts'
import { openPersistence, persistenceAdapter } from '../persistence/open-persistence.ts'
import { databaseKind, maskUrl } from '../settings/database-url.ts'
import { processEnvironment } from '../settings/environment.ts'
import { misspeltVariables } from '../settings/misspelt-variables.ts'
import { InvalidSettings, readSettings } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { systemUser } from '../settings/system-user.ts'
import { VERSION } from '../settings/version.ts'

/** What was checked, and what to do about it. */
interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warning' | 'error'
  readonly message: string
  readonly remedy?: string
}

const MIN_FREE_BYTES = 100e6
const CLOCK_TOLERANCE_MS = 60_000

/** Checks everything that a start depends on, and changes nothing. Exit code 1 if something prevents a start. */
export async function doctor({ json = false }: { json?: boolean }): Promise<void> {
  const findings: Finding[] = []
  for await (const finding of examine()) {
    findings.push(finding)
    if (!json) console.log(lineOf(finding))
  }
  if (json) console.log(JSON.stringify(findings, undefined, 2))
  if (findings.some(({ state }) => state === 'error')) process.exitCode = 1
}

function lineOf({ check, state, message, remedy }: Finding): string {
  const line = `${state.padEnd(7)}  ${check.padEnd(10)}  ${message}`
  return remedy === undefined ? line : `${line}\n${' '.repeat(21)}-> ${remedy}`
}

async function* examine(): AsyncGenerator<Finding> {
  yield { check: 'program', state: 'ok', message: `pet-store ${VERSION}, Node ${process.versions.node}` }
  const settings = settingsOrError()
  yield* settings instanceof InvalidSettings ? invalid(settings) : suspicious()
  if (settings instanceof InvalidSettings) return
  if (databaseKind(settings.databaseUrl) === 'sqlite' && settings.persistenceModule === '') {
    const disk = await examineDisk(settings)
    yield disk
    if (disk.state === 'error') return
  }
  yield* examineDatabase(settings)
}

function settingsOrError(): Settings | InvalidSettings {
  try {
    return readSettings()
  } catch (error) {
    if (error instanceof InvalidSettings) return error
    throw error
  }
}

function* invalid({ message }: InvalidSettings): Generator<Finding> {
  for (const line of message.split('\n')) {
    yield { check: 'settings', state: 'error', message: line, remedy: 'see pet-store serve --help' }
  }
}

function* suspicious(): Generator<Finding> {
  yield { check: 'settings', state: 'ok', message: 'every setting is valid', remedy: 'pet-store config shows them' }
  for (const { name, meant } of misspeltVariables(processEnvironment())) {
    yield { check: 'settings', state: 'warning', message: `${name} is ignored`, remedy: `did you mean ${meant}?` }
  }
}

async function examineDisk({ databaseUrl }: Settings): Promise<Finding> {
  const file = databaseUrl.slice('sqlite:'.length)
  const check = 'disk'
  if (file === ':memory:') return { check, state: 'warning', message: 'pets are in memory only, and lost at the end' }
  const folder = dirname(file)
  try {
    if (!(await stat(folder)).isDirectory()) {
      const remedy = 'a folder of that name is needed: move the file, or change DATABASE_URL'
      return { check, state: 'error', message: `${folder} is a file`, remedy }
    }
    await access(folder, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = await statfs(folder)
    const freeBytes = bavail * bsize
    const message = `${Math.floor(freeBytes / 1e6).toLocaleString('en')} MB free in ${folder}`
    return freeBytes < MIN_FREE_BYTES
      ? { check, state: 'error', message, remedy: 'free some space, or move the database to another disk' }
      : { check, state: 'ok', message }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return code === 'ENOENT'
      ? { check, state: 'error', message: `there is no folder ${folder}`, remedy: 'run pet-store migrate' }
      : {
          check,
          state: 'error',
          message: `the user ${systemUser()} may not write in ${folder} (${code})`,
          remedy: 'run as the owner of the folder, or change its owner',
        }
  }
}

async function* examineDatabase(settings: Settings): AsyncGenerator<Finding> {
  const place = maskUrl(settings.databaseUrl)
  try {
    const { database, pending } = await persistenceAdapter(settings).migrations()
    if (database === 'missing') {
      yield { check: 'database', state: 'error', message: `${place} does not exist`, remedy: 'run pet-store migrate' }
      return
    }
    if (pending.length > 0) {
      const message = `${place} lacks ${pending.join(', ')}`
      yield { check: 'migrations', state: 'error', message, remedy: 'run pet-store migrate' }
      return
    }
    yield { check: 'migrations', state: 'ok', message: 'none is pending' }
    const persistence = await openPersistence(settings, { readOnly: true })
    try {
      await persistence.check()
      yield { check: 'database', state: 'ok', message: place }
      yield* examineKeys(persistence, settings)
    } finally {
      await persistence.close()
    }
  } catch (error) {
    const message = (error as Error).message
    yield {
      check: 'database',
      state: 'error',
      message,
      remedy: 'check DATABASE_URL, the permissions of this user, and that the database is running',
    }
  }
}

async function* examineKeys({ apiKeys }: Required<Persistence>, settings: Settings): AsyncGenerator<Finding> {
  const keys = await apiKeys.list()
  const now = new Date()
  const active = keys.filter((key) => apiKeyState(key, now) === 'active').length + settings.staticKeys.length
  const message = `${active} active`
  if (active > 0) yield { check: 'keys', state: 'ok', message }
  else {
    const remedy = apiKeys === noApiKeys ? 'put hashes into API_KEYS_SHA256' : 'pet-store keys create --name NAME'
    yield { check: 'keys', state: 'warning', message, remedy }
  }
  const latest = Math.max(...keys.map(({ createdAt, lastUsedAt = createdAt }) => lastUsedAt.getTime()))
  yield latest > now.getTime() + CLOCK_TOLERANCE_MS
    ? {
        check: 'clock',
        state: 'error',
        message: `${now.toISOString()} is before the last use of a key`,
        remedy: 'synchronise the clock (NTP)',
      }
    : { check: 'clock', state: 'ok', message: now.toISOString() }
}
