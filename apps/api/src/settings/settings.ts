import { AccessError, createStaticKeys, type RateLimit, type StaticKey } from '@pet-store/access'
import type { Pooler } from '@pet-store/persistence-postgres'
import { readDuration } from './duration.ts'
import { isHttpUrl } from './http-url.ts'
import { readOrigins, readPublicUrl, readTrustProxy } from './network-settings.ts'

/** Named again, because their own list would load the driver of PostgreSQL wherever settings are read. */
const POOLERS = Object.keys({
  none: true,
  transaction: true,
  'transaction-unprepared': true,
} satisfies Record<Pooler, true>) as Pooler[]

/** One setting: its environment variable, what it does, its default as text, and how its text is read. */
interface Setting<T> {
  readonly variable: string
  readonly meaning: string
  readonly default: string
  /** Whether its text may hold a secret, and so is never repeated. */
  readonly isSecret: boolean
  /** Throws a `RangeError` whose message is the rule, in words that follow the variable's name. */
  readonly read: (text: string) => T
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Every setting there is. The table in the documents and `.env.example` are held against this list by a test. */
export const SETTINGS = {
  port: {
    variable: 'PORT',
    meaning: 'The TCP port to listen on; 0 takes a free one.',
    default: '3000',
    isSecret: false,
    read: (text) => readInteger(text, 0, 65_535),
  },
  host: {
    variable: 'HOST',
    meaning: 'The address to listen on. `0.0.0.0` or `::` means every network of the machine.',
    default: '127.0.0.1',
    isSecret: false,
    read: readText,
  },
  metricsPort: {
    variable: 'METRICS_PORT',
    meaning: 'The port of `/metrics` for Prometheus, on `HOST` as well; 0 takes a free one. No metrics when empty.',
    default: '',
    isSecret: false,
    read: (text) => (text === '' ? undefined : readInteger(text, 0, 65_535)),
  },
  publicUrl: {
    variable: 'PUBLIC_URL',
    meaning:
      'The address that clients know the service by, such as `https://pets.example/shop` (without `/v1`). With it `Link` and `Location` are absolute instead of relative; with `https:` browsers are told to use nothing else.',
    default: '',
    isSecret: false,
    read: readPublicUrl,
  },
  corsOrigins: {
    variable: 'CORS_ORIGINS',
    meaning:
      'The origins whose web pages may call the service, such as `https://shop.example`, with commas between them; `*` means all.',
    default: '',
    isSecret: false,
    read: readOrigins,
  },
  trustProxy: {
    variable: 'TRUST_PROXY',
    meaning:
      "Whose `X-Forwarded-For` is believed about the client's address: `false`, the number of proxies in front, or their addresses and networks, with commas between them.",
    default: 'false',
    isSecret: false,
    read: readTrustProxy,
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    meaning: 'Where pets are kept: `sqlite:` and the path of a file, or `postgres://user:password@host/database`.',
    default: 'sqlite:./data/pet-store.db',
    isSecret: true,
    read: readText,
  },
  persistenceModule: {
    variable: 'PERSISTENCE_MODULE',
    meaning:
      'An adapter of your own that is used instead of ours: a package, or the path of a file that begins with `.` or `/`. It gets `DATABASE_URL` as it is.',
    default: '',
    isSecret: false,
    read: readText,
  },
  migrateOnStart: {
    variable: 'MIGRATE_ON_START',
    meaning: 'Whether a start brings the database up to date; with `false` it refuses a database that is behind.',
    default: 'true',
    isSecret: false,
    read: readBoolean,
  },
  databasePoolSize: {
    variable: 'DATABASE_POOL_SIZE',
    meaning: 'PostgreSQL: the most connections of this process.',
    default: '10',
    isSecret: false,
    read: (text) => readInteger(text, 1, 1_000),
  },
  databaseStatementTimeout: {
    variable: 'DATABASE_STATEMENT_TIMEOUT',
    meaning: 'PostgreSQL: how long a statement may take, in milliseconds.',
    default: '5000',
    isSecret: false,
    read: (text) => readInteger(text, 1, 3_600_000),
  },
  databasePooler: {
    variable: 'DATABASE_POOLER',
    meaning:
      'PostgreSQL: what stands in between. `none`; `transaction`, a pooler in transaction mode that knows prepared statements (PgBouncer since 1.21); `transaction-unprepared`, one that does not.',
    default: 'none',
    isSecret: false,
    read: (text) => readOneOf(text, POOLERS),
  },
  databaseReplicaUrls: {
    variable: 'DATABASE_REPLICA_URLS',
    meaning:
      'PostgreSQL: streaming replicas that answer lists in turn, URLs as in `DATABASE_URL` with commas between them. A pet of the last moments may be missing in the middle of a list, never at its end.',
    default: '',
    isSecret: true,
    read: readPostgresUrls,
  },
  shutdownDelay: {
    variable: 'SHUTDOWN_DELAY',
    meaning:
      'How long it goes on serving after SIGTERM while it says that it is not ready, such as `5s`: long enough for a balancer to notice.',
    default: '0s',
    isSecret: false,
    read: readShutdownTime,
  },
  shutdownTimeout: {
    variable: 'SHUTDOWN_TIMEOUT',
    meaning: 'After how long it ends after SIGTERM in any case, the delay included.',
    default: '30s',
    isSecret: false,
    read: readShutdownTime,
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    meaning: `What is logged: one of ${LOG_LEVELS.join(', ')}.`,
    default: 'info',
    isSecret: false,
    read: (text) => readOneOf(text, LOG_LEVELS),
  },
  otlpEndpoint: {
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning:
      'Where traces are sent to by OTLP over HTTP, such as `http://collector:4318`, to the path `/v1/traces` there. No traces when empty.',
    default: '',
    isSecret: false,
    read: readCollectorUrl,
  },
  staticKeys: {
    variable: 'API_KEYS_SHA256',
    meaning:
      'API keys of `serve` besides those in the database: SHA-256 hashes in hexadecimal digits, with commas between them; `name=hash` names one for the log.',
    default: '',
    isSecret: true,
    read: readKeyHashes,
  },
  apiKeyCacheSeconds: {
    variable: 'API_KEY_CACHE_SECONDS',
    meaning:
      'For how long an API key that was found good is not looked up again. After so many seconds a revocation is in effect everywhere.',
    default: '5',
    isSecret: false,
    read: (text) => readInteger(text, 0, 3_600),
  },
  rateLimit: {
    variable: 'RATE_LIMIT',
    meaning:
      'How often one API key may be used, such as `600/1m`; no limit when empty. PostgreSQL counts for all instances together, otherwise each process counts for itself.',
    default: '',
    isSecret: false,
    read: readRateLimit,
  },
} as const satisfies Record<string, Setting<unknown>>

/** All settings, read. */
export type Settings = { readonly [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['read']> }

function readText(text: string): string {
  return text
}

/** What is wrong with settings that must fit together; a line, or nothing. */
export function settingsFault({ databaseUrl, persistenceModule }: Partial<Settings>): string | undefined {
  if (databaseUrl === undefined || persistenceModule !== '') return undefined
  return databaseKind(databaseUrl) === undefined ? `DATABASE_URL ${DATABASE_URL_RULE}` : undefined
}

/** A delay that leaves no time for the rest; a line, or nothing. */
export function shutdownFault({ shutdownDelay = 0, shutdownTimeout = 1 }: Partial<Settings>): string | undefined {
  return shutdownDelay < shutdownTimeout ? undefined : 'SHUTDOWN_TIMEOUT must be longer than SHUTDOWN_DELAY'
}

export const DATABASE_URL_RULE = 'must be sqlite: and the path of a file, or postgres://user:password@host/database'

/** Which of our databases a URL names; `undefined` where it names none. */
export function databaseKind(url: string): 'sqlite' | 'postgres' | undefined {
  if (/^sqlite:.+/.test(url)) return 'sqlite'
  return isPostgresUrl(url) ? 'postgres' : undefined
}

/** Replicas follow a database of ours; a line where there is none, or nothing. */
export function replicasFault(settings: Partial<Settings>): string | undefined {
  const { databaseUrl, persistenceModule, databaseReplicaUrls = [] } = settings
  if (databaseUrl === undefined || databaseReplicaUrls.length === 0) return undefined
  if (persistenceModule !== '') return 'DATABASE_REPLICA_URLS must be empty with PERSISTENCE_MODULE'
  if (isPostgresUrl(databaseUrl)) return undefined
  return 'DATABASE_REPLICA_URLS must be empty unless DATABASE_URL is postgres://user:password@host/database'
}

/** Far below what a timer can wait: beyond 24 days Node's goes off at once. */
function readShutdownTime(text: string): number {
  const time = readDuration(text)
  if (time <= readDuration('1h')) return time
  throw new RangeError('must be at most 1h')
}

function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text)
}

function readCollectorUrl(text: string): string {
  if (text !== '' && !isHttpUrl(text)) throw new RangeError('must be an address that begins with http:// or https://')
  // The path of traces would go behind it.
  if (/[?#]/.test(text)) throw new RangeError('must have no query')
  return text
}

function readPostgresUrls(text: string): readonly string[] {
  const urls = listOf(text)
  if (urls.every(isPostgresUrl)) return urls
  throw new RangeError('must be postgres://user:password@host/database, more of them with commas between them')
}

/** The entries of a text with commas between them. */
function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

function readInteger(text: string, min: number, max: number): number {
  const integer = Number(text)
  if (/^[0-9]{1,10}$/.test(text) && integer >= min && integer <= max) return integer
  throw new RangeError(`must be an integer from ${min} to ${max}`)
}

function readBoolean(text: string): boolean {
  return readOneOf(text, ['true', 'false'] as const) === 'true'
}

function readOneOf<Value extends string>(text: string, values: readonly Value[]): Value {
  const value = values.find((known) => known === text)
  if (value !== undefined) return value
  throw new RangeError(`must be one of ${values.join(', ')}`)
}

function readRateLimit(text: string): RateLimit | undefined {
  if (text === '') return undefined
  const [, requests = '', window = ''] = /^([1-9][0-9]{0,8})\/([0-9]+[smhd])$/.exec(text) ?? []
  const windowMs = window === '' ? 0 : readDuration(window)
  if (windowMs === 0) throw new RangeError('must be a number of requests, a slash and a span of time, such as 600/1m')
  return { requests: Number(requests), windowMs }
}

function readKeyHashes(text: string): readonly StaticKey[] {
  const keys = listOf(text).map((entry) => {
    const [, name, sha256 = ''] = /^(?:([\w.-]{1,64})=)?([0-9a-f]{64})$/i.exec(entry) ?? []
    if (sha256 === '') throw new RangeError('must be SHA-256 hashes of 64 hexadecimal digits, with commas between them')
    return { keyId: name ?? `sha256-${sha256.slice(0, 8)}`, sha256: sha256.toLowerCase() }
  })
  try {
    createStaticKeys(keys)
  } catch (error) {
    if (!(error instanceof AccessError)) throw error
    throw new RangeError(`must not repeat a key: ${error.message}`)
  }
  return keys
}
