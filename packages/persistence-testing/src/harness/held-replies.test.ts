import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { startEcho } from '../testing/echo-server.test-support.ts'
import { holdReplies } from './held-replies.ts'

it('replies after the first ones wait, and arrive when they are released', async () => {
  const echo = await startEcho()
  onTestFinished(echo.close)
  const held = await holdReplies(echo.url)
  if (held === undefined) throw new Error('A URL with a host and a port must have a way.')
  onTestFinished(() => held.end())
  const url = new URL(held.url)
  expect(url.href).toMatch(/^echo:\/\/127\.0\.0\.1:\d+\/pets\?a=b$/)
  const socket = connect(Number(url.port), url.hostname)
  let replies = ''
  socket.setEncoding('utf8').on('data', (text) => (replies += String(text)))
  socket.write('1')
  await expect.poll(() => replies).toBe('1')
  const waits = held.hold(1)
  socket.write('2')
  await expect.poll(() => replies).toBe('12')
  socket.write('3')
  await waits
  expect(replies).toBe('12')
  held.release()
  await expect.poll(() => replies).toBe('123')
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
