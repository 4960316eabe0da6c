import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { holdBody } from './hold-body.ts'

const HEAD = 'POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n'
const CHUNKS = '1\r\nx\r\n'.repeat(5_000)
const LARGE_CHUNK = `ffff\r\n${'x'.repeat(0xffff)}\r\n`
/** Together these have more bytes than the buffers of the system hold. */
const LARGE_CHUNKS = 100

/** A request whose head and first chunks have arrived, and its connection. */
async function requestWith(body: string) {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port)
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  socket.write(HEAD + body)
  const [req] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  // The whole packet is parsed then.
  await setImmediate()
  return { req, socket }
}

/** The sizes of the pieces in which a body is read. */
async function piecesOf(req: IncomingMessage): Promise<readonly number[]> {
  const sizes: number[] = []
  req.on('data', (piece: Buffer) => sizes.push(piece.length))
  await once(req, 'end')
  return sizes
}

it('a body that is held is read as one piece, even if it arrived in small chunks', async () => {
  const { req } = await requestWith(`${CHUNKS}0\r\n\r\n`)
  const release = holdBody(req)
  await setImmediate()
  release()
  expect(await piecesOf(req)).toEqual([5_000])
})

it('nothing is read from a connection whose body is held, until it is released', async () => {
  const { req, socket } = await requestWith(CHUNKS)
  const release = holdBody(req)
  await setImmediate()
  const { bytesRead } = req.socket
  for (let count = 0; count < LARGE_CHUNKS; count += 1) socket.write(LARGE_CHUNK)
  for (let turn = 0; turn < 100; turn += 1) await setImmediate()
  expect(req.socket.bytesRead).toBe(bytesRead)
  expect(req.readableLength).toBe(5_000)
  release()
  socket.end('0\r\n\r\n')
  const sizes = await piecesOf(req)
  expect(sizes[0]).toBe(5_000)
  expect(sizes.reduce((sum, size) => sum + size)).toBe(5_000 + 0xffff * LARGE_CHUNKS)
})
