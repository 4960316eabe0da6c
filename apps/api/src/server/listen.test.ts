import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from './listen.ts'

const HOST = '127.0.0.1'

function aServer() {
  const server = createServer()
  onTestFinished(() => void server.close())
  return server
}

it('a server listens beside another one where both may share the port', async ({ skip }) => {
  if (process.platform !== 'linux') skip('needs Linux')
  const options = { host: HOST, setting: 'PORT', reusePort: true }
  const first = aServer()
  await listen(first, { ...options, port: 0 })
  const { port } = first.address() as AddressInfo
  expect(await listen(aServer(), { ...options, port })).toBe(`http://${HOST}:${port}`)
  await expect(listen(aServer(), { ...options, port, reusePort: false })).rejects.toThrow(
    `Cannot listen on ${HOST} port ${port}: something listens there already.`,
  )
})

it('listening says what to do where the system cannot share a port', async () => {
  const server = aServer()
  const listening = listen(server, { host: HOST, port: 0, setting: 'PORT', reusePort: true })
  server.emit('error', Object.assign(new Error('listen ENOTSUP'), { code: 'ENOTSUP' }))
  await expect(listening).rejects.toThrow(
    'this system cannot share a port. Unset REUSE_PORT, and put a proxy in front.',
  )
})
