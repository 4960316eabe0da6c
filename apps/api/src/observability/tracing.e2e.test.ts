import { once } from 'node:events'
import { request } from 'node:http'
import { createApiKeyText, hashApiKey } from '@pet-store/access'
import { type RunningProgram, temporaryFolder, waitForOutput } from '@pet-store/testing'
import { createDatabase } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { afterEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import { PROGRAM_FROM_SOURCE, runProgram } from '../testing/run-program.test-support.ts'
import { serveHere } from '../testing/serve-here.test-support.ts'
import { attributesOf, startCollector, treeOf } from '../testing/trace-collector.test-support.ts'

const KEY = createApiKeyText()
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const BODY = '{"name":"Secretariat","categoryId":987654321}'
const HEADERS = {
  Authorization: `Bearer ${KEY}`,
  'Content-Type': 'application/json',
  'X-Request-Id': 'the-request',
  'Idempotency-Key': 'idempotency-key',
  'X-Forwarded-For': '198.51.100.7',
  'X-Forwarded-Host': 'forwarded.example',
  'User-Agent': 'the-agent',
}
/** The fields in the log line of a request, traced or not. */
const FIELDS = [
  ...[
    'level',
    'time',
    'pid',
    'hostname',
    'version',
    'requestId',
    'method',
    'route',
    'status',
    'durationMs',
  ],
  ...['keyId', 'clientAddress', 'isComplete', 'msg'],
]

const running: RunningProgram[] = []
afterEach(async () => {
  for (const program of running.splice(0)) {
    program.process.kill('SIGKILL')
    await program.ended
  }
})

async function start(settings: Record<string, string>, program?: readonly string[]) {
  const folder = await temporaryFolder()
  const started = runProgram(
    'serve',
    folder,
    { API_KEYS_SHA256: hashApiKey(KEY), ...settings },
    program,
  )
  running.push(started)
  return { program: started, address: await waitForOutput(started, /"address":"([^"]+)"/) }
}

/**
 * A POST within the client's own trace, a GET of an unknown pet, a list, and what is not traced.
 */
async function sendAll(address: string): Promise<void> {
  const headers = { ...HEADERS, traceparent: `00-${TRACE}-${PARENT}-01` }
  expect((await fetch(`${address}/pets`, { method: 'POST', headers, body: BODY })).status).toBe(201)
  expect((await fetch(`${address}/pets/77`, { headers: HEADERS })).status).toBe(404)
  expect(
    (await fetch(`${address}/pets?limit=1&status=sold&secret=not-for-traces`, { headers: HEADERS }))
      .status,
  ).toBe(200)
  for (const path of ['/livez', '/readyz', '/metrics', '/metrics?x'])
    await fetch(address.replace('/v1', path))
}

/** Sends requests, and returns the collector with what it got about them. */
async function traced(settings: Record<string, string>, send = sendAll) {
  const collector = await startCollector()
  const keys = { API_KEYS_SHA256: hashApiKey(KEY) }
  const { address, stop } = await serveHere({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    ...keys,
    ...settings,
  })
  await send(`${address}/v1`)
  await stop()
  return collector
}

describe('With OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('a request is a span in the trace that it came with, and its log line names it', async () => {
    const { url, spans, bodies } = await startCollector()
    const { program, address } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
    await sendAll(address)
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    const root = spans.find(({ parentSpanId }) => parentSpanId === PARENT)
    if (root === undefined) throw new Error(JSON.stringify(spans))
    expect(root.traceId).toBe(TRACE)
    expect(treeOf(spans, root)).toEqual(['POST /v1/pets', ['createPet']])
    expect(attributesOf(root)).toMatchObject({
      'http.route': '/v1/pets',
      'http.response.status_code': 201,
    })
    const line = program.output.stdout.split('\n').find((one) => one.includes('"POST"')) ?? ''
    const fields = JSON.parse(line)
    expect(fields).toMatchObject({
      traceId: TRACE,
      spanId: root.spanId,
      status: 201,
      msg: 'request',
    })
    expect(Object.keys(fields).toSorted()).toEqual([...FIELDS, 'traceId', 'spanId'].toSorted())
    expect(String(fields.durationMs)).toMatch(/^\d+(?:\.\d{1,3})?$/)

    const other = spans.find(
      ({ name, parentSpanId }) => name.endsWith('{petId}') && parentSpanId === undefined,
    )
    if (other === undefined) throw new Error(JSON.stringify(spans))
    expect(treeOf(spans, other)).toEqual(['GET /v1/pets/{petId}', ['getPet']])
    const failed = spans.find(({ name }) => name === 'getPet')
    expect(failed && attributesOf(failed)).toEqual({ 'error.type': 'pet_not_found' })
    expect(bodies.join()).toContain('{"key":"service.name","value":{"stringValue":"pet-store"}}')
    expect(bodies.join()).toMatch(
      /\{"key":"service.version","value":\{"stringValue":"\d+\.\d+\.\d+"\}\}/,
    )
  })

  it('statements of PostgreSQL are in the trace, and no span has a key or a body', async () => {
    const database = await createDatabase(inject('postgresUrl'))
    onTestFinished(() => database.drop())
    const { spans, bodies } = await traced({ DATABASE_URL: database.url })
    const createPet = spans.find(({ name }) => name === 'createPet')
    const statements = spans.filter(({ parentSpanId }) => parentSpanId === createPet?.spanId)
    const { hostname, port, pathname } = new URL(database.url)
    expect(statements.map(attributesOf)).toContainEqual({
      'db.system.name': 'postgresql',
      'db.namespace': pathname.slice(1),
      'db.query.text': expect.stringMatching(/insert into .{0,20}pet/),
      'server.address': hostname,
      'server.port': Number(port),
    })
    expect(statements.every(({ traceId }) => traceId === TRACE)).toBe(true)
    // Nothing but requests is traced: no migration, no health check.
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(3)

    const sent = bodies.join()
    for (const secret of [
      ...[
        KEY,
        'Bearer',
        hashApiKey(KEY),
        'Secretariat',
        '987654321',
        'idempotency-key',
        'the-request',
      ],
      ...['198.51.100.7', 'forwarded.example', 'the-agent', 'status=sold', 'not-for-traces'],
    ]) {
      expect(sent).not.toContain(secret)
    }
  })

  it('a statement grouped with others is in the trace of its own request', async () => {
    const database = await createDatabase(inject('postgresUrl'))
    onTestFinished(() => database.drop())
    const { 'Idempotency-Key': _, ...headers } = HEADERS
    const { spans } = await traced({ DATABASE_URL: database.url }, async (address) => {
      const post = () => fetch(`${address}/pets`, { method: 'POST', headers, body: BODY })
      await Promise.all(Array.from({ length: 5 }, post))
      await Promise.all(Array.from({ length: 5 }, () => fetch(`${address}/pets/1`, { headers })))
    })
    const trees = spans
      .filter(({ parentSpanId }) => parentSpanId === undefined)
      .map((root) => treeOf(spans, root))
    expect(trees).toHaveLength(10)
    for (const [name, ...below] of trees) {
      if (name === 'POST /v1/pets') expect(below).toEqual([['createPet', ['pet_add_many']]])
      else expect(below).toEqual([['getPet', ['pet_find']]])
    }
  })

  it('a request that waits for 100 Continue has a span too', async () => {
    const { spans } = await traced({}, async (address) => {
      const headers = { ...HEADERS, 'Content-Length': BODY.length, Expect: '100-continue' }
      const sending = request(`${address}/pets`, { method: 'POST', headers, agent: false })
      sending.on('continue', () => sending.end(BODY)).flushHeaders()
      const [response] = await once(sending, 'response')
      response.resume()
    })
    const [span] = spans.filter(({ name }) => name === 'POST /v1/pets')
    expect(span && attributesOf(span)).toMatchObject({ 'http.response.status_code': 201 })
  })

  it('a response that closes its connection is complete once it has left', async () => {
    const { spans } = await traced({}, async (address) => {
      const headers = { ...HEADERS, Connection: 'Upgrade', Upgrade: 'websocket' }
      const [response] = await once(
        request(`${address}/pets`, { headers, agent: false }).end(),
        'response',
      )
      expect(response.headers.connection).toBe('close')
      await once(response.resume(), 'close')
    })
    const [span] = spans.filter(({ name }) => name === 'GET /v1/pets')
    expect(span && attributesOf(span)).not.toHaveProperty('error.type')
  })

  it.each([
    ['always_on', '0.5', 3],
    ['always_off', '0.5', 0],
    ['traceidratio', '0', 0],
    ['parentbased_always_off', '0.5', 1],
    ['parentbased_traceidratio', '0', 1],
    ['parentbased_traceidratio', '1', 3],
  ])(
    'OTEL_TRACES_SAMPLER=%s with %s traces %i of three requests, one with a trace',
    async (sampler, share, count) => {
      const { spans } = await traced({
        OTEL_TRACES_SAMPLER: sampler,
        OTEL_TRACES_SAMPLER_ARG: share,
      })
      const traces = new Set(spans.map(({ traceId }) => traceId))
      expect(traces.size).toBe(count)
      expect(traces.has(TRACE)).toBe(count > 0)
    },
  )

  it('an unavailable collector is reported once a minute, and changes nothing else', async () => {
    const collector = await startCollector(400)
    const { program, address } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    // More spans than one batch holds: sending fails once now, on a loaded machine every five
    // seconds, and at the stop.
    const list = async () => (await fetch(`${address}/pets`, { headers: HEADERS })).status
    const statuses = await Promise.all(Array.from({ length: 300 }, list))
    expect(new Set(statuses)).toEqual(new Set([200]))
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    expect(collector.bodies.length).toBeGreaterThanOrEqual(2)
    const lines = program.output.stdout
      .split('\n')
      .filter((line) => line.includes('traces could not be sent'))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, err: { code: 400 } }])
    expect(lines.join()).not.toContain('traceId')
  })
})

describe('Without OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('without tracing nothing of OpenTelemetry is loaded, and log lines are the same', async () => {
    const { program, address } = await start(
      {
        // Makes loading any of its packages fail; the bundle has them in files of its own.
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
          `import { registerHooks } from 'node:module'
         registerHooks({ resolve(name, context, next) {
           if (name.startsWith('@opentelemetry/')) throw new Error(name)
           return next(name, context)
         } })`,
        )}`,
      },
      PROGRAM_FROM_SOURCE,
    )
    const headers = { Authorization: `Bearer ${KEY}`, 'X-Request-Id': 'untraced' }
    expect((await fetch(`${address}/pets`, { headers })).status).toBe(200)
    const line = await waitForOutput(program, /(\{.*"untraced".*\})\n/)
    expect(Object.keys(JSON.parse(line)).toSorted()).toEqual(FIELDS.toSorted())
  })
})
