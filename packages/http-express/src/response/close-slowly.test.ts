import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished, vi } from 'vitest'
import { closeSlowly } from './close-slowly.ts'

const RESPONSE = 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n'
const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'

/** Responds early, and returns what the server reads of the body that the client still sends. */
async function sendAfterResponse(body: string) {
  let chunks = 0
  const closing: Promise<Socket>[] = []
  const server = createServer((req: IncomingMessage) => {
    const { socket } = req
    closing.push(new Promise((resolve) => socket.on('close', () => resolve(socket))))
    socket.write(RESPONSE)
    req.on('data', () => {
      chunks += 1
    })
    closeSlowly(socket)
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0), 'listening')
  const client = connect((server.address() as { port: number }).port)
  client.on('error', () => {})
  client.write(HEAD)
  const [received] = (await once(client, 'data')) as [Buffer]
  client.end(body)
  const [socket] = await Promise.all(closing)
  const { bytesRead = 0, errored } = socket ?? {}
  return { received: String(received), chunks, bytesRead, errored }
}

it('closeSlowly parses nothing that arrives after the response', async () => {
  const { received, chunks, bytesRead } = await sendAfterResponse('1\r\nx\r\n'.repeat(10_000))
  expect([received, chunks]).toEqual([RESPONSE, 0])
  expect(bytesRead).toBe(HEAD.length + 60_000)
})

it('closeSlowly does not report the end of a body that was not parsed as an error', async () => {
  expect((await sendAfterResponse('1\r\nx\r\n0\r\n\r\n')).errored).toBeNull()
})

it('closeSlowly reads 5 MB, for a proxy that sends them before it reads the response', async () => {
  // A busy machine may need longer than that time for them.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { received, bytesRead } = await sendAfterResponse('x'.repeat(5_000_000))
  expect(received).toBe(RESPONSE)
  expect(bytesRead).toBe(HEAD.length + 5_000_000)
})

it.each([
  ['paused the connection', () => {}],
  ['resumed the connection in the same tick', (socket: Socket) => void socket.resume()],
])('closeSlowly reads a body whose first part has %s', async (_, resume) => {
  const server = createServer(({ socket }) => {
    socket.once('pause', () => {
      setImmediate(() => {
        socket.write(RESPONSE)
        resume(socket)
        closeSlowly(socket)
      })
    })
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0), 'listening')
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const client = connect((server.address() as { port: number }).port)
  // Sends all before it reads, as some proxies do.
  client.pause()
  const body = `4c4b40\r\n${'x'.repeat(5_000_000)}`
  await new Promise<void>((resolve) => client.end(HEAD + body, resolve))
  expect(await text(client)).toBe(RESPONSE)
})

it('closeSlowly stops reading after a bounded number of bytes', async () => {
  const { received, bytesRead } = await sendAfterResponse('x'.repeat(32_000_000))
  expect(received).toBe(RESPONSE)
  expect(bytesRead).toBeLessThan(9_000_000)
})
