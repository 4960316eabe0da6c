import { existsSync, fstatSync, statSync } from 'node:fs'
import { devNull, userInfo } from 'node:os'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import {
  type ApiKeyRepository,
  apiKeyState,
  createApiKey,
  createApiKeyUseCases,
  hashApiKey,
  type IssuedApiKey,
  isApiKeyText,
  type Scope,
} from '@pet-store/access'
import { assertNotInMemory } from '../../persistence/assert-not-in-memory.ts'
import { openPersistence, type PersistenceUse } from '../../persistence/open-persistence.ts'
import { persistenceAdapter } from '../../persistence/persistence-adapter.ts'
import { readSettings } from '../../settings/read-settings.ts'
import type { Settings } from '../../settings/settings.ts'
import { keyTable, timeText } from './key-table.ts'

interface ChangeOptions {
  /** For scripts: one JSON value on standard output. */
  readonly json?: boolean
  /** Who changes the key. Default: the user of the operating system. */
  readonly by?: string
}

/**
 * `keys create`: writes only the key itself to standard output, so that a script can capture it.
 */
export async function createKey(
  options: ChangeOptions & { name: string; scope?: Scope[]; expires?: number },
): Promise<void> {
  const { name, scope: scopes, expires: lifetimeMs, json, by = systemUser() } = options
  // Both checks come before the database is opened, because wrong usage must not create one.
  assertOutputIsOpen()
  const issued = createApiKey({ name, scopes, lifetimeMs }, { by })
  const newFile = await missingFile()
  await withKeys({}, async (keys) => {
    await keys.add(issued.key)
    await showNewKey(issued, json)
  })
  if (newFile !== undefined && !json)
    console.error(`There was no database ${newFile}, so it was created.`)
}

/**
 * The database file that creating a key would create. In a wrong working directory it is not the
 * one of the service, which would not know the key.
 */
async function missingFile(): Promise<string | undefined> {
  const { file } = await persistenceAdapter(readSettings())
  return file === undefined || existsSync(file) ? undefined : resolve(file)
}

/** `keys rotate`: creates the successor of a key and shows it as a new one. */
export async function rotateKey(
  id: string,
  options: ChangeOptions & { overlap: number },
): Promise<void> {
  const { overlap, json, by = systemUser() } = options
  assertOutputIsOpen()
  await withKeys({ mode: 'write' }, async (keys) => {
    const issued = await createApiKeyUseCases(keys, { by }).rotateApiKey(id, overlap)
    const end = timeText(new Date(issued.key.createdAt.getTime() + overlap))
    await showNewKey(issued, json, ` The old key, ${id}, is valid until ${end} at the latest.`)
  })
}

/** `keys list`: every key ever created, the oldest first. */
export async function listKeys({ json }: { json?: boolean }): Promise<void> {
  await withKeys({ mode: 'read' }, async (keys) => {
    const now = new Date()
    const all = await createApiKeyUseCases(keys).listApiKeys()
    const byId = new Map(all.map((key) => [key.id, key]))
    // A key was rotated when its successor was created, and by the same person.
    const listed = all.map((key) => {
      const { createdAt: rotatedAt, createdBy: rotatedBy } = byId.get(key.replacedBy ?? '') ?? {}
      return { ...key, rotatedAt, rotatedBy, state: apiKeyState(key, now) }
    })
    if (json) console.log(JSON.stringify(listed, undefined, 2))
    else process.stdout.write(keyTable(listed))
  })
}

/**
 * `keys revoke`: the output says for how long instances that have the key in their cache may still
 * accept it.
 */
export async function revokeKey(
  idOrKey: string,
  { json, by = systemUser() }: ChangeOptions,
): Promise<void> {
  await withKeys({ mode: 'write' }, async (keys, { apiKeyCacheSeconds }) => {
    const id = await idOf(idOrKey, keys)
    await createApiKeyUseCases(keys, { by }).revokeApiKey(id)
    if (json)
      console.log(JSON.stringify({ id, effectiveWithinSeconds: apiKeyCacheSeconds }, undefined, 2))
    else console.log(`Revoked ${id}. Running instances reject it within ${apiKeyCacheSeconds} s.`)
  })
}

/**
 * The id of a key that is given by its id or its text: after a leak, people may have only the text.
 */
async function idOf(idOrKey: string, keys: ApiKeyRepository): Promise<string> {
  if (!isApiKeyText(idOrKey)) return idOrKey
  const key = await keys.findByHash(hashApiKey(idOrKey))
  if (key === undefined) throw new Error('The database does not contain this key.')
  return key.id
}

/**
 * Runs work on the API keys of the database. Only `keys create` may create a database: a mistyped
 * path must not look like a database without keys.
 */
async function withKeys(
  use: PersistenceUse,
  work: (keys: ApiKeyRepository, settings: Settings) => Promise<void>,
): Promise<void> {
  const settings = readSettings()
  assertNotInMemory(settings)
  // Replicas serve lists of pets only: one that is down must not prevent revoking a key.
  const persistence = await openPersistence({ ...settings, databaseReplicaUrls: [] }, use)
  try {
    await work(persistence.apiKeys, settings)
  } finally {
    await persistence.close()
  }
}

/** The name of the user of this process, or the number of one without a name, as in containers. */
function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}

/**
 * Throws if standard output is closed, so that no key is created that nobody would see. Node opens
 * /dev/null in place of a closed output.
 */
function assertOutputIsOpen(): void {
  const output = fstatSync(1)
  if (!output.isCharacterDevice() || output.rdev !== statSync(devNull).rdev) return
  throw new Error(
    'Standard output is closed, so nobody would see the key. Send it to a terminal, a file or a ' +
      'pipe.',
  )
}

/** Prints a key, which cannot be shown again. Rejects if that fails, naming the key to revoke. */
async function showNewKey({ text, key }: IssuedApiKey, json = false, more = ''): Promise<void> {
  const { sha256: _, ...rest } = key
  const output = json ? JSON.stringify({ ...rest, key: text }, undefined, 2) : text
  const write = promisify((text: string, done: (error?: Error | null) => void) =>
    process.stdout.write(text, done),
  )
  await write(`${output}\n`).catch((cause: Error) => {
    const message =
      `The key ${key.id} was created but could not be written to standard output. ` +
      `It cannot be shown again, so revoke it: pet-store keys revoke ${key.id}`
    throw new Error(message, { cause })
  })
  if (json) return
  const { createdBy, id, name, scopes, expiresAt } = key
  const expiry = expiresAt === undefined ? 'never expires' : `expires ${timeText(expiresAt)}`
  console.error(
    `${createdBy} created the key ${id} for ${name}: ${scopes.join(' ')}, ${expiry}.${more}`,
  )
  console.error('It is shown only this once.')
}
