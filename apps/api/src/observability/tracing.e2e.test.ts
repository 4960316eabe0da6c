import { once } from 'node:events'
import { request } from 'node:http'
import { createApiKeyText, hashApiKey } from '@pet-store/access'
import { type RunningProgram, temporaryFolder, waitForOutput } from '@pet-store/testing'
import { createDatabase } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { PROGRAM_FROM_SOURCE, runProgram } from '../testing/run-program.test-support.ts'
import { startCollector, treeOf } from '../testing/trace-collector.test-support.ts'

const KEY = createApiKeyText()
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const BODY = '{"name":"Secretariat","categoryId":987654321}'
/** Of the line of a request, traced or not. */
const FIELDS = [
  ...['level', 'time', 'pid', 'hostname', 'version', 'requestId', 'method', 'route', 'status', 'durationMs'],
  ...['keyId', 'clientAddress', 'isComplete', 'msg'],
]

const running: RunningProgram[] = []
afterEach(async () => {
  for (const program of running.splice(0)) {
    program.process.kill('SIGKILL')
    await program.ended
  }
})

async function serve(settings: Record<string, string>, program?: readonly string[]) {
  const started = runProgram(
    'serve',
    await temporaryFolder(),
    { API_KEYS_SHA256: hashApiKey(KEY), ...settings },
    program,
  )
  running.push(started)
  return { program: started, address: await waitForOutput(started, /"address":"([^"]+)"/) }
}

/** A POST within the client's own trace, a GET of an unknown pet, a list, and all that the program sends and logs about them. */
async function traced(settings: Record<string, string>) {
  const collector = await startCollector()
  const { program, address } = await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...settings })
  const headers = {
    Authorization: `Bearer ${KEY}`,
    'Content-Type': 'application/json',
    'X-Request-Id': 'the-request',
    'Idempotency-Key': 'idempotency-key',
    'X-Forwarded-For': '198.51.100.7',
    'X-Forwarded-Host': 'forwarded.example',
    'User-Agent': 'the-agent',
    traceparent: `00-${TRACE}-${PARENT}-01`,
  }
  expect((await fetch(`${address}/pets`, { method: 'POST', headers, body: BODY })).status).toBe(201)
  const { traceparent: _, ...rest } = headers
  expect((await fetch(`${address}/pets/77`, { headers: { ...rest, 'X-Request-Id': 'the-other' } })).status).toBe(404)
  expect((await fetch(`${address}/pets?limit=1&status=sold&secret=8d2c`, { headers: rest })).status).toBe(200)
  for (const path of ['/livez', '/readyz', '/metrics', '/metrics?x']) await fetch(address.replace('/v1', path))
  program.process.kill('SIGTERM')
  expect(await program.ended).toBe(0)
  return { ...collector, output: program.output.stdout }
}

describe('With OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('a request is a trace from HTTP to persistence, part of the trace that it came with, and named in its log line', async () => {
    const { spans, output, bodies } = await traced({})
    const root = spans.find(({ parentSpanId }) => parentSpanId === PARENT)
    if (root === undefined) throw new Error(JSON.stringify(spans))
    expect(root.traceId).toBe(TRACE)
    expect(treeOf(spans, root)).toEqual(['POST /v1/pets', ['createPet', ['PetRepository.addWithKey']]])
    expect(root.attributes).toContainEqual({ key: 'http.route', value: { stringValue: '/v1/pets' } })
    const line = output.split('\n').find((one) => one.includes('"the-request"')) ?? ''
    const fields = JSON.parse(line)
    expect(fields).toMatchObject({ traceId: TRACE, spanId: root.spanId, status: 201, msg: 'request' })
    expect(Object.keys(fields).toSorted()).toEqual([...FIELDS, 'traceId', 'spanId'].toSorted())
    expect(String(fields.durationMs)).toMatch(/^\d+(?:\.\d{1,3})?$/)

    const other = spans.find(({ name, parentSpanId }) => name.endsWith('{petId}') && parentSpanId === undefined)
    if (other === undefined) throw new Error(JSON.stringify(spans))
    expect(treeOf(spans, other)).toEqual(['GET /v1/pets/{petId}', ['getPet', ['PetRepository.find']]])
    const failed = spans.find(({ name }) => name === 'getPet')
    expect(failed?.attributes).toEqual([{ key: 'error.type', value: { stringValue: 'pet_not_found' } }])
    expect(bodies.join()).toContain('{"key":"service.name","value":{"stringValue":"pet-store"}}')
    expect(bodies.join()).toMatch(/\{"key":"service.version","value":\{"stringValue":"\d+\.\d+\.\d+"\}\}/)
  })

  it('the statements of PostgreSQL are in the trace, and no span anywhere has a key, a header or a body', async () => {
    const database = await createDatabase(inject('postgresUrl'))
    const { spans, bodies } = await traced({ DATABASE_URL: database.url })
    await database.drop()
    const add = spans.find(({ name }) => name === 'PetRepository.addWithKey')
    const statements = spans.filter(({ parentSpanId }) => parentSpanId === add?.spanId)
    expect(statements.map(({ attributes }) => JSON.stringify(attributes)).join()).toMatch(/insert into .{0,20}pet/)
    expect(statements.every(({ traceId }) => traceId === TRACE)).toBe(true)
    const find = spans.find(({ name }) => name === 'PetRepository.find')
    const select = spans.find(({ parentSpanId }) => parentSpanId === find?.spanId)
    expect(JSON.stringify(select?.attributes)).toMatch(/select .{0,50} from .{0,20}pet/)
    // Nothing but requests is traced: no migration, no health check.
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(3)

    const sent = bodies.join()
    for (const secret of [
      KEY,
      'Bearer',
      hashApiKey(KEY),
      'Secretariat',
      '987654321',
      'idempotency-key',
      'the-request',
      '198.51.100.7',
      'forwarded.example',
      'the-agent',
      'status=sold',
      '8d2c',
    ]) {
      expect(sent).not.toContain(secret)
    }
  })

  it('a request that waits for 100 Continue has a span too', async () => {
    const collector = await startCollector()
    const { program, address } = await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    const headers = {
      Authorization: `Bearer ${KEY}`,
      'Content-Type': 'application/json',
      'Content-Length': BODY.length,
      Expect: '100-continue',
    }
    const sending = request(`${address}/pets`, { method: 'POST', headers, agent: false })
    sending.on('continue', () => sending.end(BODY)).flushHeaders()
    const [response] = await once(sending, 'response')
    response.resume()
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    const [span] = collector.spans.filter(({ name }) => name === 'POST /v1/pets')
    expect(span?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 201 } })
  })

  it('traces what OTEL_TRACES_SAMPLER and the trace of a request decide', async () => {
    const never = await traced({ OTEL_TRACES_SAMPLER: 'always_off' })
    expect(never.spans).toEqual([])
    const onlyParts = await traced({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' })
    expect(new Set(onlyParts.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]))
  })

  it('an unavailable collector is reported in the log, and changes nothing for clients or the stop', async () => {
    const { program, address } = await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
    expect((await fetch(`${address}/pets`, { headers: { Authorization: `Bearer ${KEY}` } })).status).toBe(200)
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    expect(program.output.stdout).toMatch(/"level":40,.*"msg":"traces could not be sent"/)
  })
})

describe('Without OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('nothing of OpenTelemetry is loaded, and log lines have the same fields, but for the trace', async () => {
    const { program, address } = await serve(
      {
        // Makes loading any of its packages fail; the bundle has them in files of its own.
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
          `import { registerHooks } from 'node:module'
         registerHooks({ resolve(name, context, next) { if (name.startsWith('@opentelemetry/')) throw new Error(name); return next(name, context) } })`,
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
