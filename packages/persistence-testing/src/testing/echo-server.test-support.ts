import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts a server that answers each packet with the same packet; resolves with its URL. */
export async function startEcho(): Promise<string> {
  const server = createServer((socket) => void socket.pipe(socket))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `echo://127.0.0.1:${(server.address() as AddressInfo).port}/pets?a=b`
}
