import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A server that answers each packet with the same packet. */
export interface Echo {
  readonly url: string
  readonly close: () => void
}

export async function startEcho(): Promise<Echo> {
  const server = createServer((socket) => void socket.pipe(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `echo://127.0.0.1:${(server.address() as AddressInfo).port}/pets?a=b`,
    close: () => void server.close(),
  }
}
