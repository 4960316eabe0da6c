import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A way to a server that can fall silent as a network does: nothing arrives any more, and no connection breaks. */
export interface MutingProxy {
  readonly url: string
  /** Carries nothing more on the connections that there are. New ones work. */
  mute(): void
}

/** Opens a way to the server of a URL. It is gone with the test. */
export async function openMutingProxy(url: string): Promise<MutingProxy> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const proxy = createServer((near) => {
    const far = connect(Number(port || 5432), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port: own } = proxy.address() as AddressInfo
  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(own) }).href,
    mute() {
      for (const socket of sockets) socket.unpipe().pause()
    },
  }
}
