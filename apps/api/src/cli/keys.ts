import {
  type ApiKey,
  type ApiKeyUseCases,
  apiKeyState,
  createApiKeyUseCases,
  type IssuedApiKey,
  type Scope,
} from '@pet-store/access'
import { openPersistence, type PersistenceUse } from '../persistence/open-persistence.ts'
import { readConfig } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { textTable } from './text-table.ts'

interface Output {
  /** For scripts: one JSON value on standard output. */
  readonly json?: boolean
}

/** `keys create`: the key itself goes to standard output alone, so that a script can catch it. */
export async function createKey(options: Output & { name: string; scope?: Scope[]; expires?: number }): Promise<void> {
  const { name, scope, expires, json } = options
  await withKeys({}, async ({ issueApiKey }) => {
    const issued = await issueApiKey({
      name,
      ...(scope !== undefined && { scopes: scope }),
      ...(expires !== undefined && { lifetimeMs: expires }),
    })
    show(issued, json)
  })
}

/** `keys rotate`: a successor, shown as a new key is. */
export async function rotateKey(id: string, { overlap, json }: Output & { overlap: number }): Promise<void> {
  await withKeys({ create: false }, async ({ rotateApiKey }) => {
    const issued = await rotateApiKey(id, overlap)
    const end = time(new Date(issued.key.createdAt.getTime() + overlap))
    show(issued, json, ` The old one, ${id}, is good until ${end} at the latest.`)
  })
}

/** `keys list`: every key there ever was, the oldest first. */
export async function listKeys({ json }: Output): Promise<void> {
  await withKeys({ readOnly: true }, async ({ listApiKeys }) => {
    const now = new Date()
    const keys = (await listApiKeys()).map((key) => ({ ...key, state: apiKeyState(key, now) }))
    if (json) console.log(JSON.stringify(keys, undefined, 2))
    else process.stdout.write(textTable([HEADING, ...keys.map((key) => rowOf(key))]))
  })
}

/** `keys revoke`: at once here, and wherever the key was seen lately after the time that is named. */
export async function revokeKey(id: string): Promise<void> {
  await withKeys({ create: false }, async ({ revokeApiKey }, { apiKeyCacheSeconds }) => {
    await revokeApiKey(id)
    console.log(`Revoked ${id}. Services that run refuse it within ${apiKeyCacheSeconds} s.`)
  })
}

/** Only `keys create` may create a database: a mistyped path must not look like a database without keys. */
async function withKeys(
  use: PersistenceUse,
  work: (keys: ApiKeyUseCases, settings: Settings) => Promise<void>,
): Promise<void> {
  const settings = readConfig()
  // Replicas serve only lists of pets: a failing one must not keep anybody from revoking a key.
  const persistence = await openPersistence({ ...settings, databaseReplicaUrls: [] }, use)
  try {
    await work(createApiKeyUseCases(persistence.apiKeys), settings)
  } finally {
    await persistence.close()
  }
}

function show({ text, key }: IssuedApiKey, json: boolean | undefined, more = ''): void {
  const { sha256: _, ...rest } = key
  if (json) {
    console.log(JSON.stringify({ ...rest, key: text }, undefined, 2))
    return
  }
  console.error(`Made the key ${key.id} for ${key.name}: ${key.scopes.join(' ')}, ${ending(key)}.${more}`)
  console.error('This is the only time that it is shown:')
  console.log(text)
}

const HEADING = ['ID', 'NAME', 'SCOPES', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED', 'REPLACED BY']

function rowOf(key: ApiKey & { state: string }): string[] {
  const { id, name, scopes, state, createdAt, expiresAt, lastUsedAt, replacedBy } = key
  return [id, name, scopes.join(' '), state, time(createdAt), time(expiresAt), time(lastUsedAt), replacedBy ?? '-']
}

function ending({ expiresAt }: Pick<ApiKey, 'expiresAt'>): string {
  return expiresAt === undefined ? 'without an end' : `until ${time(expiresAt)}`
}

/** To the minute, in UTC. */
function time(at: Date | undefined): string {
  return at === undefined ? '-' : `${at.toISOString().slice(0, 16).replace('T', ' ')}Z`
}
