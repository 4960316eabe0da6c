// This entry does not load the driver, which would make every start slower.
import {
  DEFAULT_POOL_SIZE,
  DEFAULT_STATEMENT_TIMEOUT_MS,
  POOLERS,
} from '@pet-store/persistence-postgres/settings'
import { maskUrl } from './database-url.ts'
import {
  parseCollectorUrl,
  parseHost,
  parseIdleTime,
  parseInteger,
  parseList,
  parseOneOf,
  parseOrigins,
  parsePublicUrl,
  parseRateLimit,
  parseRatio,
  parseShutdownTime,
  parseStaticKeys,
  parseTrustProxy,
} from './parse.ts'

/** One setting. */
export interface Setting<T> {
  /** The name of its environment variable. */
  readonly variable: string
  /** What it does, for help and documents. */
  readonly meaning: string
  /** Its default, as text. Default: empty. */
  readonly default?: string
  /**
   * Whether its text may contain a secret. It can then be in a file, and is never shown in full.
   */
  readonly isSecret?: true
  /** Returns the text that may be shown. Default: `***` for a secret, else the whole text. */
  readonly mask?: (text: string) => string
  /**
   * Parses the text. Throws a `RangeError` whose message, the rule, follows the variable's name.
   */
  readonly parse: (text: string) => T
}

/**
 * A request may run three statements: to look its key up, to count it, and to do its work. Each may
 * wait 5 s for a connection, and the driver adds 1 s to the limit. Together they must take less
 * than the 60 s after which the server ends a connection without progress.
 */
const MAX_STATEMENT_TIMEOUT_MS = 13_000

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** OTLP over HTTP, by both of its names: an operator may set the one that is usual elsewhere. */
const OTLP_PROTOCOLS = ['http/protobuf', 'http/json'] as const

const TRACES_SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** Every setting. Tests compare the table in the README and `.env.example` with this list. */
export const SETTINGS = {
  port: {
    variable: 'PORT',
    meaning: 'The TCP port to listen on. 0 picks a free port.',
    default: '3000',
    parse: (text) => parseInteger(text, 0, 65_535),
  },
  host: {
    variable: 'HOST',
    meaning: 'The address to listen on. `0.0.0.0` or `::` listens on every network interface.',
    default: '127.0.0.1',
    parse: parseHost,
  },
  reusePort: {
    variable: 'REUSE_PORT',
    meaning:
      'Whether further processes of the same user may listen on `PORT`; the kernel spreads new ' +
      'connections over them. For a process on each core, and restarts without a proxy. ' +
      'Linux only; `METRICS_PORT` is never shared.',
    default: 'false',
    parse: (text) => parseOneOf(text, ['true', 'false']) === 'true',
  },
  metricsPort: {
    variable: 'METRICS_PORT',
    meaning:
      'The port of `/metrics` for Prometheus, also on `HOST`. 0 picks a free port; empty ' +
      'turns metrics off.',
    parse: (text) => (text === '' ? undefined : parseInteger(text, 0, 65_535)),
  },
  publicUrl: {
    variable: 'PUBLIC_URL',
    meaning:
      'The URL under which clients reach the service, such as `https://pets.example/shop` ' +
      '(without `/v1`). It makes `Link` and `Location` absolute instead of relative; if it ' +
      'is `https:`, browsers are told to use HTTPS only.',
    parse: parsePublicUrl,
  },
  corsOrigins: {
    variable: 'CORS_ORIGINS',
    meaning:
      'The origins whose web pages may call the service, such as `https://shop.example`, ' +
      'separated by commas; `*` allows every origin.',
    parse: parseOrigins,
  },
  trustProxy: {
    variable: 'TRUST_PROXY',
    meaning:
      'The proxies whose `X-Forwarded-For` is trusted: `false` for none, the number of ' +
      'proxies in front of the service, or their addresses and networks, separated by commas.',
    default: 'false',
    parse: parseTrustProxy,
  },
  keepAliveTimeoutMs: {
    variable: 'KEEP_ALIVE_TIMEOUT',
    meaning:
      'How long an idle connection of a client or a proxy stays open, from `1s` to `1h`: longer ' +
      'than the proxy keeps it, such as `620s` for the 600 s of Google Cloud.',
    default: '75s',
    parse: parseIdleTime,
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    meaning:
      'The database: `sqlite:` and the path of a file, or ' +
      '`postgres://user:password@host/database`; special characters of the password are ' +
      'percent-encoded.',
    default: 'sqlite:./data/pet-store.db',
    isSecret: true,
    mask: maskUrl,
    parse: String,
  },
  persistenceModule: {
    variable: 'PERSISTENCE_MODULE',
    meaning:
      'A persistence adapter of your own instead of the built-in ones: the name of a ' +
      'package, or the path of a file that begins with `.` or `/`. It receives ' +
      '`DATABASE_URL` unchanged.',
    parse: String,
  },
  migrateOnStart: {
    variable: 'MIGRATE_ON_START',
    meaning:
      'Whether to migrate the database at start. If `false`, a start fails while migrations ' +
      'are pending.',
    default: 'true',
    parse: (text) => parseOneOf(text, ['true', 'false']) === 'true',
  },
  databasePoolSize: {
    variable: 'DATABASE_POOL_SIZE',
    meaning: 'PostgreSQL: the maximum number of connections of this process.',
    default: String(DEFAULT_POOL_SIZE),
    parse: (text) => parseInteger(text, 1, 1_000),
  },
  databaseStatementTimeoutMs: {
    variable: 'DATABASE_STATEMENT_TIMEOUT',
    meaning: 'PostgreSQL: the maximum duration of a statement, in milliseconds; at most 13000.',
    default: String(DEFAULT_STATEMENT_TIMEOUT_MS),
    parse: (text) => parseInteger(text, 1, MAX_STATEMENT_TIMEOUT_MS),
  },
  databasePooler: {
    variable: 'DATABASE_POOLER',
    meaning:
      'PostgreSQL: the connection pooler in front of the server. `none`; `transaction`, a ' +
      'pooler in transaction mode with support for prepared statements (PgBouncer 1.21 or ' +
      'newer with `max_prepared_statements` above 0); `transaction-unprepared`, one without.',
    default: 'none',
    parse: (text) => parseOneOf(text, POOLERS),
  },
  databaseReplicaUrls: {
    variable: 'DATABASE_REPLICA_URLS',
    meaning:
      'PostgreSQL: streaming replicas that serve lists in rotation: URLs as in ' +
      '`DATABASE_URL`, separated by commas.',
    isSecret: true,
    mask: (text) => text.replaceAll(/[^,\s]+/g, maskUrl),
    parse: parseList,
  },
  shutdownDelayMs: {
    variable: 'SHUTDOWN_DELAY',
    meaning:
      'How long to keep serving after SIGTERM while `/readyz` already responds with 503, ' +
      'such as `5s`: long enough for a load balancer to notice.',
    default: '0s',
    parse: parseShutdownTime,
  },
  shutdownTimeoutMs: {
    variable: 'SHUTDOWN_TIMEOUT',
    meaning: 'The maximum time from SIGTERM to the end of the process, including the delay.',
    default: '30s',
    parse: parseShutdownTime,
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    meaning: `The lowest level to log: one of ${LOG_LEVELS.join(', ')}.`,
    default: 'info',
    parse: (text) => parseOneOf(text, LOG_LEVELS),
  },
  otlpEndpoint: {
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning:
      'Where to send traces by OTLP over HTTP, such as `http://collector:4318`; `/v1/traces` ' +
      'is appended. Empty turns tracing off.',
    mask: maskUrl,
    parse: parseCollectorUrl,
  },
  otlpProtocol: {
    variable: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    meaning:
      `How traces are sent: one of ${OTLP_PROTOCOLS.join(', ')}. Both send JSON. ` +
      'Without gRPC: the port of a collector for HTTP is usually 4318.',
    default: 'http/json',
    parse: (text) => parseOneOf(text, OTLP_PROTOCOLS),
  },
  tracesSampler: {
    variable: 'OTEL_TRACES_SAMPLER',
    meaning:
      `Which requests are traced: one of ${TRACES_SAMPLERS.join(', ')}. ` +
      'With `parentbased_` a request that belongs to a trace follows its decision.',
    default: 'parentbased_always_on',
    parse: (text) => parseOneOf(text, TRACES_SAMPLERS),
  },
  tracesSamplerRatio: {
    variable: 'OTEL_TRACES_SAMPLER_ARG',
    meaning: 'The share of requests that the `traceidratio` samplers trace, from 0 to 1.',
    default: '1',
    parse: parseRatio,
  },
  staticKeys: {
    variable: 'API_KEYS_SHA256',
    meaning:
      'API keys in addition to those of the database: SHA-256 hashes of any texts, in ' +
      'hexadecimal and separated by commas; `name=hash` names a key for the log.',
    isSecret: true,
    parse: parseStaticKeys,
  },
  apiKeyCacheSeconds: {
    variable: 'API_KEY_CACHE_SECONDS',
    meaning:
      'How long a valid API key is cached, in seconds. A revocation takes effect on every ' +
      'instance within this time.',
    default: '5',
    parse: (text) => parseInteger(text, 0, 3_600),
  },
  rateLimit: {
    variable: 'RATE_LIMIT',
    meaning:
      'The maximum rate per API key, such as `600/1m`; empty means no limit. On PostgreSQL ' +
      'all instances share one count; otherwise each process counts for itself.',
    parse: parseRateLimit,
  },
  maxConcurrentRequests: {
    variable: 'MAX_CONCURRENT_REQUESTS',
    meaning:
      'The maximum number of requests for pets under way, at most four fifths of them of one ' +
      'API key; others wait for up to a second, then get 503. ' +
      'Each takes up to 300 kB, so the default fits a limit of 512 MB.',
    default: '500',
    parse: (text) => parseInteger(text, 1, 1_000_000),
  },
} as const satisfies Record<string, Setting<unknown>>

/** The settings as a list, for code that goes through all of them. */
export const SETTING_LIST: readonly Setting<unknown>[] = Object.values(SETTINGS)

/** All settings, parsed. */
export type Settings = {
  readonly [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['parse']>
}
