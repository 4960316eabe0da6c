import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A proxy before a server that fails as networks do. */
export interface FaultyProxy {
  readonly url: string
  /** Forwards nothing more on the present connections, which stay open. New ones work. */
  mute(): void
  /** Resets a connection when the server sends something on it, so that the client loses the result. */
  loseResults(): void
  /** Accepts no connection any more, and resets the present ones. */
  close(): void
}

/** Opens a proxy before the server of a URL; it is closed at the end of the test. */
export async function openFaultyProxy(url: string): Promise<FaultyProxy> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let losesResults = false
  const proxy = createServer((near) => {
    const far = connect(Number(port || 5432), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (data) => {
        if (losesResults && from === far) near.resetAndDestroy()
        else to.write(data)
      })
      from.on('end', () => to.end())
      from.on('error', () => to.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const close = () => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(close)
  const { port: own } = proxy.address() as AddressInfo
  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(own) }).href,
    mute() {
      for (const socket of sockets) socket.removeAllListeners('data').pause()
    },
    loseResults() {
      losesResults = true
    },
    close,
  }
}
