import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { holdReplies } from './held-replies.ts'

/** A database that answers each packet with the same packet. */
async function startEcho(): Promise<string> {
  const server = createServer((socket) => void socket.pipe(socket))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `echo://127.0.0.1:${(server.address() as AddressInfo).port}/pets?a=b`
}

it('replies that are held arrive when they are released', async () => {
  const held = await holdReplies(await startEcho())
  if (held === undefined) throw new Error('A URL with a host and a port must have a way.')
  onTestFinished(() => held.end())
  const url = new URL(held.url)
  expect(url.href).toMatch(/^echo:\/\/127\.0\.0\.1:\d+\/pets\?a=b$/)
  const socket = connect(Number(url.port), url.hostname)
  let replies = ''
  socket.setEncoding('utf8').on('data', (text) => (replies += String(text)))
  socket.write('1')
  await expect.poll(() => replies).toBe('1')
  held.hold()
  socket.write('2')
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(replies).toBe('1')
  held.release()
  await expect.poll(() => replies).toBe('12')
  const closed = once(socket, 'close')
  await held.end()
  await closed
})

it.each(['file:/tmp/pets.db', 'postgres://localhost/pets', 'pets'])(
  'no way leads to %s',
  async (url) => {
    expect(await holdReplies(url)).toBeUndefined()
  },
)
