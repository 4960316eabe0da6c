import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { InvalidSettings, readSettings } from './read-settings.ts'

const HASH = 'a'.repeat(64)

describe('readSettings', () => {
  it('readSettings returns the defaults where a variable is absent or empty', () => {
    const defaults = readSettings({})
    expect(defaults).toMatchObject({
      port: 3000,
      databaseUrl: 'sqlite:./data/pet-store.db',
      staticKeys: [],
    })
    expect(defaults).toMatchObject({
      metricsPort: undefined,
      rateLimit: undefined,
      publicUrl: undefined,
      trustProxy: 0,
    })
    expect(
      readSettings({ PORT: '', HOST: '', DATABASE_URL: '', LOG_LEVEL: '', API_KEYS_SHA256: '' }),
    ).toEqual(defaults)
  })

  it.each([
    ['PORT', '0', { port: 0 }],
    ['HOST', '::1', { host: '::1' }],
    ['METRICS_PORT', '9464', { metricsPort: 9464 }],
    [
      'PUBLIC_URL',
      'https://pets.example:8443/shop/',
      { publicUrl: 'https://pets.example:8443/shop' },
    ],
    [
      'CORS_ORIGINS',
      'https://a.example, http://b:5173',
      { corsOrigins: ['https://a.example', 'http://b:5173'] },
    ],
    ['TRUST_PROXY', '2', { trustProxy: 2 }],
    ['TRUST_PROXY', 'loopback, 10.0.0.0/8,::1', { trustProxy: ['loopback', '10.0.0.0/8', '::1'] }],
    [
      'DATABASE_URL',
      'postgresql://db:5433/pets?a=b',
      { databaseUrl: 'postgresql://db:5433/pets?a=b' },
    ],
    ['MIGRATE_ON_START', 'false', { migrateOnStart: false }],
    ['DATABASE_POOL_SIZE', '3', { databasePoolSize: 3 }],
    ['DATABASE_STATEMENT_TIMEOUT', '250', { databaseStatementTimeoutMs: 250 }],
    ['DATABASE_POOLER', 'transaction', { databasePooler: 'transaction' }],
    [
      'DATABASE_REPLICA_URLS',
      'postgres://r1/a, postgresql://r2/b ,',
      { databaseReplicaUrls: ['postgres://r1/a', 'postgresql://r2/b'] },
    ],
    ['KEEP_ALIVE_TIMEOUT', '620s', { keepAliveTimeoutMs: 620_000 }],
    ['SHUTDOWN_DELAY', '5s', { shutdownDelayMs: 5_000 }],
    ['SHUTDOWN_TIMEOUT', '1h', { shutdownTimeoutMs: 3_600_000 }],
    ['LOG_LEVEL', 'trace', { logLevel: 'trace' }],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'http://collector:4318',
      { otlpEndpoint: 'http://collector:4318' },
    ],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf', { otlpProtocol: 'http/protobuf' }],
    ['OTEL_TRACES_SAMPLER', 'traceidratio', { tracesSampler: 'traceidratio' }],
    ['OTEL_TRACES_SAMPLER_ARG', '0.25', { tracesSamplerRatio: 0.25 }],
    ['API_KEY_CACHE_SECONDS', '0', { apiKeyCacheSeconds: 0 }],
    ['RATE_LIMIT', '600/1m', { rateLimit: { requests: 600, windowMs: 60_000 } }],
    ['RATE_LIMIT', '1/90d', { rateLimit: { requests: 1, windowMs: 7_776_000_000 } }],
    ['MAX_CONCURRENT_REQUESTS', '50', { maxConcurrentRequests: 50 }],
    ['API_KEYS_SHA256', `shop=${HASH}`, { staticKeys: [{ keyId: 'shop', sha256: HASH }] }],
    [
      'API_KEYS_SHA256',
      `${'B'.repeat(64)} ,`,
      { staticKeys: [{ keyId: 'sha256-BBBBBBBB', sha256: 'b'.repeat(64) }] },
    ],
  ])('readSettings reads %s of %s', (variable, text, value) => {
    const others =
      variable === 'DATABASE_REPLICA_URLS' ? { DATABASE_URL: 'postgres://db/pets' } : {}
    expect(readSettings({ [variable]: text, ...others })).toEqual({
      ...readSettings(others),
      ...value,
    })
  })

  it('readSettings reads a secret from the file that its variable with _FILE names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pet-store-'))
    const file = (name: string, text: string) => writeFile(join(folder, name), text)
    await file('url', 'postgres://pets:secret@db/pets\n')
    await file('wrong', 'mysql://pets:secret@db/pets\n')
    await file('bad-keys', 'no-hash')
    await file('empty', '\n')
    const inFile = (variable: string, name: string) =>
      readSettings({ [`${variable}_FILE`]: join(folder, name) })

    expect(inFile('DATABASE_URL', 'url').databaseUrl).toBe('postgres://pets:secret@db/pets')
    expect(() => inFile('DATABASE_URL', 'wrong')).toThrow(
      /^DATABASE_URL must be sqlite: [^"]*, got "mysql:\/\/pets:\*\*\*@db\/pets"$/,
    )
    expect(() => inFile('API_KEYS_SHA256', 'bad-keys')).toThrow(
      /^API_KEYS_SHA256_FILE must be SHA-256 hashes[^"]*$/,
    )
    expect(() => inFile('API_KEYS_SHA256', 'empty')).toThrow(
      'API_KEYS_SHA256_FILE must name a file that is not empty',
    )
    expect(() => inFile('DATABASE_URL', 'nowhere')).toThrow(
      /^DATABASE_URL_FILE cannot be read: ENOENT[^\n]*$/,
    )
    // Only secrets can come from a file.
    expect(inFile('PORT', 'url').port).toBe(3000)
    expect(() =>
      readSettings({ DATABASE_URL: 'sqlite:pets.db', DATABASE_URL_FILE: join(folder, 'url') }),
    ).toThrow(new InvalidSettings('DATABASE_URL_FILE must not be set beside DATABASE_URL'))
  })

  it.each([
    ['PORT', ['65536', '-1', '1.5', '1e3', ' 80', '0x50', 'http'], 'an integer from 0 to 65535'],
    [
      'SHUTDOWN_DELAY',
      ['90', 'd', '1w', '-1d', '1.5h', '1d1h', ' 1d', '1 d', '1D', '१d', '1000000d'],
      'a number of at most six digits and a unit: s, m, h or d, such as 30s',
    ],
    ['KEEP_ALIVE_TIMEOUT', ['0s', '61m'], 'from 1s to 1h'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', ['grpc', 'HTTP/JSON'], 'one of http/protobuf, http/json'],
    ['OTEL_TRACES_SAMPLER_ARG', ['1.5', 'x', '.', '-0.1'], 'a number from 0 to 1'],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      ['collector:4318'],
      'a URL that begins with http:// or https://',
    ],
    [
      'RATE_LIMIT',
      ['600', '0/1m', '600/0s', '600/m', '-1/1m', '6e2/1m', '600/1w'],
      'a number of requests, a slash and a duration, such as 600/1m',
    ],
    [
      'PUBLIC_URL',
      [
        ...[
          'pets.example',
          'ftp://pets.example',
          'https://pets.example/v1/',
          'https://pets.example/?a=1',
        ],
        ...['https://pets.example/#a', 'https://Pets.example', 'https://pets.example/a b'],
        ...['https://pets.example/../v1', 'https://pets.example/">;x="'],
      ],
      'an http or https URL without a query and without a trailing /v1, such as ' +
        'https://pets.example/shop',
    ],
    [
      'CORS_ORIGINS',
      [
        'shop.example',
        'https://shop.example/',
        'https://SHOP.example',
        'https://shop.example:443',
        'null',
        'ws://a',
      ],
      '* or origins such as https://shop.example, separated by commas',
    ],
    ['HOST', ['::1\r', ' ', '[::1]'], 'an address or a name, without white space or brackets'],
    [
      'TRUST_PROXY',
      [
        ...[
          'true',
          '-1',
          '1.5',
          '100',
          '300.0.0.1',
          '10.0.0.0/33',
          '0.0.0.0/0',
          '::/0',
          '10.0.0.0/x',
        ],
        ...['proxy.example', ','],
      ],
      'false, a number of proxies, or addresses and networks such as 10.0.0.0/8 (not /0), ' +
        'separated by commas',
    ],
  ])('readSettings rejects an invalid %s', (variable, texts, rule) => {
    for (const text of texts) {
      expect(() => readSettings({ [variable]: text }), text).toThrow(
        new InvalidSettings(`${variable} must be ${rule}, got ${JSON.stringify(text)}`),
      )
    }
  })

  it.each([
    [
      'DATABASE_REPLICA_URLS',
      [
        'r1',
        'sqlite:pets.db',
        'postgres://a b/',
        'mysql://pets:secret@r1/pets',
        'postgres://r1/pets, r2',
      ],
      'URLs such as postgres://user:password@host/database, separated by commas',
    ],
    [
      'API_KEYS_SHA256',
      ['abc', `${HASH}0`, `a b=${HASH}`, `=${HASH}`],
      'SHA-256 hashes of 64 hexadecimal digits, separated by commas',
    ],
    [
      'PUBLIC_URL',
      ['https://me:secret@host'],
      'an http or https URL without a query and without a trailing /v1, such as ' +
        'https://pets.example/shop',
    ],
  ])(
    'readSettings rejects an invalid %s without repeating it, because it may be secret',
    (variable, texts, rule) => {
      for (const text of texts) {
        expect(
          () => readSettings({ DATABASE_URL: 'postgres://db/pets', [variable]: text }),
          text,
        ).toThrow(new InvalidSettings(`${variable} must be ${rule}`))
      }
    },
  )

  it.each<[Record<string, string>, string]>([
    [
      { SHUTDOWN_DELAY: '30s', SHUTDOWN_TIMEOUT: '10s' },
      'SHUTDOWN_TIMEOUT must be longer than SHUTDOWN_DELAY, got 10s and 30s',
    ],
    [{ METRICS_PORT: '3000' }, 'METRICS_PORT must differ from PORT, got 3000 for both'],
    [{ SHUTDOWN_DELAY: '61m' }, 'SHUTDOWN_DELAY must be at most 1h, got "61m"'],
    // A request could outlast its connection.
    [
      { DATABASE_STATEMENT_TIMEOUT: '13001' },
      'DATABASE_STATEMENT_TIMEOUT must be an integer from 1 to 13000',
    ],
    [
      { DATABASE_REPLICA_URLS: 'postgres://r1/pets' },
      'DATABASE_REPLICA_URLS must be empty unless DATABASE_URL is',
    ],
    ...[
      `shop=${HASH},shop=${'B'.repeat(64)}`,
      `${HASH},${HASH}`,
      `shop=${HASH},kiosk=${HASH.toUpperCase()}`,
    ].map((keys): [Record<string, string>, string] => [
      { API_KEYS_SHA256: keys },
      'API_KEYS_SHA256 must not repeat a key: ',
    ]),
  ])('readSettings rejects %j', (environment, message) => {
    expect(() => readSettings(environment)).toThrow(message)
  })

  it('a collector URL may have a password, but no query, where no path can follow', () => {
    const read = (OTEL_EXPORTER_OTLP_ENDPOINT: string) =>
      readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT }).otlpEndpoint
    expect(read('http://me:secret@collector:4318')).toBe('http://me:secret@collector:4318')
    for (const [text, shown] of [
      ['http://collector:4318/?key=1', 'http://collector:4318/?***'],
      ['http://collector:4318/#a', 'http://collector:4318/#***'],
    ] as const) {
      expect(() => read(text)).toThrow(
        `OTEL_EXPORTER_OTLP_ENDPOINT must have no query, got ${JSON.stringify(shown)}`,
      )
    }
    expect(() => read('http://me:secret@collector:4318?a')).toThrow(/^[^@]+$/)
  })

  it('readSettings does not check the URLs of a third-party adapter', () => {
    const environment = {
      PERSISTENCE_MODULE: './mine.js',
      DATABASE_URL: 'anything at all',
      DATABASE_REPLICA_URLS: 'one, other',
    }
    expect(readSettings(environment)).toMatchObject({
      databaseUrl: 'anything at all',
      databaseReplicaUrls: ['one', 'other'],
      persistenceModule: './mine.js',
    })
  })

  it('readSettings names every invalid setting at once, and the rules across settings', () => {
    expect(() => readSettings({ PORT: 'x', LOG_LEVEL: 'y', SHUTDOWN_DELAY: '30s' })).toThrow(
      new InvalidSettings(
        [
          'PORT must be an integer from 0 to 65535, got "x"',
          'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, got "y"',
          'SHUTDOWN_TIMEOUT must be longer than SHUTDOWN_DELAY, got 30s and 30s',
        ].join('\n'),
      ),
    )
  })
})
