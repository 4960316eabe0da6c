import { type ClientHttp2Stream, connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SCOPES } from '@pet-store/access'
import { expect, it, onTestFinished } from 'vitest'
import type { PetAppOptions } from './create-pet-app.ts'
import { createLoggedApp } from './testing/logged-app.test-support.ts'
import { API_KEY } from './testing/start-test-server.test-support.ts'

const PET = '{"name":"Rex","categoryId":9007199254740993}'
const CREATED = PET.replace('{', '{"id":1,')

/** The app behind an HTTP/2 server; Node's compatibility API turns its streams into requests. */
async function start(options: Partial<PetAppOptions> = {}) {
  const { app, log, errors } = createLoggedApp(options)
  const server = createServer(app as never)
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  let session = connect(`http://localhost:${port}`)
  const reconnect = () => {
    session.destroy()
    session = connect(`http://localhost:${port}`)
  }
  onTestFinished(() => {
    session.destroy()
    server.close()
  })
  const open = (method: string, path: string, headers: object = {}): ClientHttp2Stream =>
    session.request({
      ':method': method,
      ':path': path,
      authorization: `Bearer ${API_KEY}`,
      'content-type': 'application/json',
      ...headers,
    })
  const send = async (method: string, path: string, body = '', headers: object = {}) => {
    const stream = open(method, path, headers)
    // HEAD has ended its stream already.
    if (body !== '') stream.end(body)
    else if (!stream.writableEnded) stream.end()
    let status: unknown
    stream.on('response', (fields) => {
      status = fields[':status']
    })
    return { text: await text(stream), status }
  }
  return { log, errors, reconnect, open, send }
}

it('with HTTP/2 each request gets its whole response, and is logged as complete', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  onTestFinished(() => void process.off('warning', onWarning))
  const { send, log, errors } = await start({ maxConcurrentRequests: 1 })
  expect(await send('POST', '/v1/pets', PET)).toEqual({ status: 201, text: CREATED })
  expect(await send('GET', '/v1/pets?limit=1')).toEqual({ status: 200, text: `[${CREATED}]` })
  expect(await send('HEAD', '/v1/pets/1')).toEqual({ status: 200, text: '' })
  const unknown = { authorization: 'Bearer x' }
  for (const [response, status, code] of [
    [send('GET', '/v1/pets', '', unknown), 401, 'unauthorized'],
    [send('POST', '/v1/pets', 'x'.repeat(90_000), unknown), 401, 'unauthorized'],
    [send('POST', '/v1/pets', 'x'.repeat(200_000)), 413, 'payload_too_large'],
    [send('GET', '/v1/pets/%zz'), 404, 'not_found'],
    [send('GET', '/v1/pets', '', { ':authority': 'a', host: 'b' }), 400, 'invalid_request'],
  ] as const)
    expect(await response).toEqual({ status, text: expect.stringContaining(`"code":"${code}"`) })
  await expect.poll(() => log).toHaveLength(8)
  expect(log.filter(({ isComplete }) => !isComplete)).toEqual([])
  expect([...errors, ...warnings]).toEqual([])
})

it('with HTTP/2 requests of one connection wait for a slot and for their key check', async () => {
  const verifiedKey = { keyId: 'test-key', scopes: SCOPES }
  const { send, errors } = await start({
    maxConcurrentRequests: 1,
    tokenCheck: () => new Promise((resolve) => setTimeout(resolve, 5, verifiedKey)),
  })
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => send('POST', '/v1/pets', PET)),
  )
  expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(201))
  expect(errors).toEqual([])
})

it('with HTTP/2 a body that breaks off adds no pet, and its slot is freed', async () => {
  const { open, send, reconnect, log, errors } = await start({ maxConcurrentRequests: 1 })
  const stream = open('POST', '/v1/pets').on('error', () => {})
  // The whole body, but not the end of the stream.
  await new Promise((resolve) => stream.write(PET, resolve))
  reconnect()
  expect(await send('GET', '/v1/pets')).toEqual({ status: 200, text: '[]' })
  await expect.poll(() => log).toHaveLength(2)
  const [broken, list] = log
  expect(broken).toMatchObject({ method: 'POST', isComplete: false, status: undefined })
  expect(list).toMatchObject({ method: 'GET', isComplete: true })
  expect(errors).toEqual([])
})
