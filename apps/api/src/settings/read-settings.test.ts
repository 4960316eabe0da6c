import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig, WrongSettings } from './read-settings.ts'
import { SETTINGS } from './settings.ts'

const HASH = 'a'.repeat(64)

describe('readConfig', () => {
  it('takes the defaults where nothing is set, or set to nothing', () => {
    const defaults = {
      port: 3000,
      host: '127.0.0.1',
      metricsPort: undefined,
      corsOrigins: [],
      trustProxy: 0,
      databaseUrl: 'sqlite:./data/pet-store.db',
      persistenceModule: '',
      migrateOnStart: true,
      databasePoolSize: 10,
      databaseStatementTimeout: 5000,
      databasePooler: 'none',
      databaseReplicaUrls: [],
      shutdownDelay: 0,
      shutdownTimeout: 30_000,
      logLevel: 'info',
      otlpEndpoint: '',
      staticKeys: [],
      apiKeyCacheSeconds: 5,
      rateLimit: undefined,
    }
    expect(readConfig([], {})).toEqual(defaults)
    expect(readConfig([], { PORT: '', HOST: '', DATABASE_URL: '', LOG_LEVEL: '', API_KEYS_SHA256: '' })).toEqual(
      defaults,
    )
  })

  it('reads what is set', () => {
    expect(
      readConfig([], {
        PORT: '0',
        HOST: '::1',
        METRICS_PORT: '9464',
        PUBLIC_URL: 'https://pets.example:8443/shop/',
        CORS_ORIGINS: 'https://shop.example, http://localhost:5173',
        TRUST_PROXY: 'loopback, 10.0.0.0/8,::1',
        DATABASE_URL: 'postgresql://pets:secret@db:5433/pets?sslmode=verify-full',
        MIGRATE_ON_START: 'false',
        DATABASE_POOL_SIZE: '3',
        DATABASE_STATEMENT_TIMEOUT: '250',
        DATABASE_POOLER: 'transaction',
        DATABASE_REPLICA_URLS: 'postgres://pets:s%2Ct@r1/pets, postgresql://r2/pets ,',
        SHUTDOWN_DELAY: '5s',
        SHUTDOWN_TIMEOUT: '1m',
        LOG_LEVEL: 'trace',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
        API_KEY_CACHE_SECONDS: '0',
        RATE_LIMIT: '600/1m',
        API_KEYS_SHA256: `shop=${HASH}, ${'B'.repeat(64)} ,`,
      }),
    ).toEqual({
      port: 0,
      host: '::1',
      metricsPort: 9464,
      publicUrl: 'https://pets.example:8443/shop',
      corsOrigins: ['https://shop.example', 'http://localhost:5173'],
      trustProxy: ['loopback', '10.0.0.0/8', '::1'],
      databaseUrl: 'postgresql://pets:secret@db:5433/pets?sslmode=verify-full',
      persistenceModule: '',
      migrateOnStart: false,
      databasePoolSize: 3,
      databaseStatementTimeout: 250,
      databasePooler: 'transaction',
      databaseReplicaUrls: ['postgres://pets:s%2Ct@r1/pets', 'postgresql://r2/pets'],
      shutdownDelay: 5_000,
      shutdownTimeout: 60_000,
      logLevel: 'trace',
      otlpEndpoint: 'http://collector:4318',
      staticKeys: [
        { keyId: 'shop', sha256: HASH },
        { keyId: 'sha256-BBBBBBBB', sha256: 'b'.repeat(64) },
      ],
      apiKeyCacheSeconds: 0,
      rateLimit: { requests: 600, windowMs: 60_000 },
    })
  })

  it('reads a secret from the file that its variable with _FILE behind it names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pet-store-'))
    const file = (name: string, text: string) => writeFile(join(folder, name), text)
    await file('url', 'postgres://pets:secret@db/pets\n')
    await file('wrong', 'mysql://pets:secret@db/pets\n')
    await file('bad-keys', 'no-hash')
    await file('empty', '\n')
    const inFile = (variable: string, name: string) => readConfig([], { [`${variable}_FILE`]: join(folder, name) })

    expect(inFile('DATABASE_URL', 'url').databaseUrl).toBe('postgres://pets:secret@db/pets')
    expect(() => inFile('DATABASE_URL', 'wrong')).toThrow(/^DATABASE_URL must be sqlite: [^"]*$/)
    expect(() => inFile('API_KEYS_SHA256', 'bad-keys')).toThrow(/^API_KEYS_SHA256_FILE must be SHA-256 hashes[^"]*$/)
    expect(() => inFile('API_KEYS_SHA256', 'empty')).toThrow('API_KEYS_SHA256_FILE must name a file that is not empty')
    expect(() => inFile('DATABASE_URL', 'nowhere')).toThrow(/^DATABASE_URL_FILE cannot be read: ENOENT[^\n]*$/)
    // What is no secret has no such file.
    expect(inFile('PORT', 'url').port).toBe(3000)
    expect(() => readConfig([], { DATABASE_URL: 'sqlite:pets.db', DATABASE_URL_FILE: join(folder, 'url') })).toThrow(
      new WrongSettings(['DATABASE_URL and DATABASE_URL_FILE must not both be set']),
    )
  })

  it.each(['65536', '-1', '1.5', '1e3', ' 80', '0x50', 'http'])('refuses %j as a port', (PORT) => {
    expect(() => readConfig([], { PORT })).toThrow(
      `PORT must be an integer from 0 to 65535, got ${JSON.stringify(PORT)}`,
    )
  })

  it('refuses a delay that leaves no time for the rest of a shutdown', () => {
    expect(() => readConfig([], { SHUTDOWN_DELAY: '30s' })).toThrow(
      'SHUTDOWN_TIMEOUT must be longer than SHUTDOWN_DELAY',
    )
    expect(() => readConfig([], { SHUTDOWN_DELAY: 'soon' })).toThrow('SHUTDOWN_DELAY must be a number and a unit')
  })

  it('refuses a time for a shutdown that no timer can wait', () => {
    expect(readConfig([], { SHUTDOWN_TIMEOUT: '1h' }).shutdownTimeout).toBe(3_600_000)
    expect(() => readConfig([], { SHUTDOWN_TIMEOUT: '30d' })).toThrow('SHUTDOWN_TIMEOUT must be at most 1h, got "30d"')
    expect(() => readConfig([], { SHUTDOWN_DELAY: '61m' })).toThrow('SHUTDOWN_DELAY must be at most 1h, got "61m"')
  })

  it.each([
    ['PUBLIC_URL', 'https://me:secret@host'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://me:secret@collector:4318?a'],
  ])('does not repeat a password in a wrong %s', (name, text) => {
    expect(() => readConfig([], { [name]: text })).toThrow(/^[^@]+$/)
  })

  it('takes a collector that asks for a password, and refuses one with a query, where no path can follow', () => {
    const read = (OTEL_EXPORTER_OTLP_ENDPOINT: string) => readConfig([], { OTEL_EXPORTER_OTLP_ENDPOINT }).otlpEndpoint
    expect(read('http://me:secret@collector:4318')).toBe('http://me:secret@collector:4318')
    for (const text of ['http://collector:4318/?key=1', 'http://collector:4318/#a']) {
      expect(() => read(text)).toThrow(`OTEL_EXPORTER_OTLP_ENDPOINT must have no query, got "${text}"`)
    }
  })

  it.each(['600', '0/1m', '600/0s', '600/m', '-1/1m', '6e2/1m', '600/1w'])(
    'refuses %j as a rate limit',
    (RATE_LIMIT) => {
      expect(() => readConfig([], { RATE_LIMIT })).toThrow(
        `RATE_LIMIT must be a number of requests, a slash and a span of time, such as 600/1m, got "${RATE_LIMIT}"`,
      )
    },
  )

  it.each([
    'pets.example',
    'ftp://pets.example',
    'https://pets.example/v1/',
    'https://pets.example/?a=1',
    'https://pets.example/#a',
    'https://me:secret@pets.example',
    'https://Pets.example',
    'https://pets.example/a b',
    'https://pets.example/../v1',
    'https://pets.example/">;x="',
  ])('refuses %j as the public address', (PUBLIC_URL) => {
    expect(() => readConfig([], { PUBLIC_URL })).toThrow(/^PUBLIC_URL must be an http or https address/)
  })

  it.each([
    'shop.example',
    'https://shop.example/',
    'https://SHOP.example',
    'https://shop.example:443',
    'null',
    'ws://a',
  ])('refuses %j as an origin', (CORS_ORIGINS) => {
    expect(() => readConfig([], { CORS_ORIGINS })).toThrow(/^CORS_ORIGINS must be [*] or origins/)
  })

  it.each(['true', '-1', '1.5', '100', '300.0.0.1', '10.0.0.0/33', '10.0.0.0/x', 'proxy.example', ','])(
    'refuses %j as trusted proxies',
    (TRUST_PROXY) => {
      expect(() => readConfig([], { TRUST_PROXY })).toThrow(/^TRUST_PROXY must be false, a number of proxies/)
    },
  )

  it('counts trusted proxies', () => {
    expect(readConfig([], { TRUST_PROXY: '2' })).toMatchObject({ trustProxy: 2 })
  })

  it.each(['sqlite:', 'pets.db', 'mysql://host/db', 'postgres:pets', 'postgres://a b/'])(
    'refuses %j as a database',
    (DATABASE_URL) => {
      expect(() => readConfig([], { DATABASE_URL })).toThrow(
        /^DATABASE_URL must be sqlite: and the path of a file, or postgres:[^"]*$/,
      )
    },
  )

  it.each(['r1', 'sqlite:pets.db', 'postgres://a b/', 'mysql://pets:secret@r1/pets', 'postgres://r1/pets, r2'])(
    'refuses %j as replicas',
    (DATABASE_REPLICA_URLS) => {
      expect(() => readConfig([], { DATABASE_URL: 'postgres://db/pets', DATABASE_REPLICA_URLS })).toThrow(
        /^DATABASE_REPLICA_URLS must be postgres:\/\/user:password@host\/database, more of them with commas between them$/,
      )
    },
  )

  it.each([
    [{}, 'unless DATABASE_URL is postgres://user:password@host/database'],
    [{ DATABASE_URL: 'postgres://db/pets', PERSISTENCE_MODULE: './mine.js' }, 'with PERSISTENCE_MODULE'],
  ])('refuses replicas beside %j', (environment, rule) => {
    expect(() => readConfig([], { ...environment, DATABASE_REPLICA_URLS: 'postgres://r1/pets' })).toThrow(
      new WrongSettings([`DATABASE_REPLICA_URLS must be empty ${rule}`]),
    )
  })

  it('leaves the database to an adapter of somebody else', () => {
    const environment = { PERSISTENCE_MODULE: './mine.js', DATABASE_URL: 'anything at all' }
    expect(readConfig([], environment)).toMatchObject({
      databaseUrl: 'anything at all',
      persistenceModule: './mine.js',
    })
  })

  it.each(['abc', `${HASH}0`, `a b=${HASH}`, `=${HASH}`])('refuses %j as the hash of a key', (API_KEYS_SHA256) => {
    expect(() => readConfig([], { API_KEYS_SHA256 })).toThrow(/^API_KEYS_SHA256 must be SHA-256 hashes/)
  })

  it.each([`shop=${HASH},shop=${'B'.repeat(64)}`, `${HASH},${HASH}`, `shop=${HASH},kiosk=${HASH.toUpperCase()}`])(
    'rejects the static keys %j, which have a name or a hash in common',
    (API_KEYS_SHA256) => {
      expect(() => readConfig([], { API_KEYS_SHA256 })).toThrow(/^API_KEYS_SHA256 must not repeat a key: /)
    },
  )

  it('names everything that is wrong at once, rules of the command too', () => {
    const rule = () => 'HOST must be another'
    expect(() => readConfig([rule], { PORT: 'x', LOG_LEVEL: 'y' })).toThrow(
      new WrongSettings([
        'PORT must be an integer from 0 to 65535, got "x"',
        'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, got "y"',
        'HOST must be another',
      ]),
    )
  })
})

describe('the documents', () => {
  it('list every setting with its default and its meaning in the README', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
    const rows = Object.values(SETTINGS).map(({ variable, default: otherwise, meaning }) => {
      return `| \`${variable}\` | ${otherwise === '' ? '' : `\`${otherwise}\` `}| ${meaning} |`
    })
    const table = readme.split('\n').filter((line) => /^\| `[A-Z_0-9]+` /.test(line))
    expect(table).toEqual(rows)
  })

  it('name every setting that can come from a file', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
    const secrets = Object.values(SETTINGS).filter(({ isSecret }) => isSecret)
    const named = /^Secrets can lie in files: (.*)\.$/m.exec(readme)?.[1]
    expect(named?.split(', ')).toEqual(secrets.map(({ variable }) => `\`${variable}_FILE\``))
  })

  it('list every setting with its default in .env.example', async () => {
    const example = await readFile(new URL('../../../../.env.example', import.meta.url), 'utf8')
    const lines = example.split('\n').filter((line) => /^# [A-Z_0-9]+=/.test(line))
    expect(lines).toEqual(
      Object.values(SETTINGS).map(({ variable, default: otherwise }) => `# ${variable}=${otherwise}`),
    )
  })
})
