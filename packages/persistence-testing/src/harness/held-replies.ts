import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a database on which replies can be held back. */
export interface HeldReplies {
  /** The database, for an opening whose replies are held. */
  readonly url: string
  /**
   * Holds replies back, but for some that come before them. Resolves when the first one waits.
   */
  hold(passedBefore?: number): Promise<void>
  release(): void
  end(): Promise<void>
}

/**
 * Begins to forward connections to the server of a database. Returns `undefined` if its URL names
 * no host and port: no connection leads to it, or its client finds it in another way.
 */
export async function holdReplies(databaseUrl: string): Promise<HeldReplies | undefined> {
  const url = URL.parse(databaseUrl)
  if (url === null || url.hostname === '' || url.port === '') return undefined
  const { hostname, port } = url
  const sockets = new Set<Socket>()
  let released: Promise<void> | undefined
  let passing = 0
  let release = () => {}
  let noteHeld = () => {}
  const server = createServer((client) => {
    // An IPv6 address is in brackets only in a URL.
    const database = connect(Number(port), hostname.replace(/^\[|\]$/g, ''))
    client.on('data', (chunk) => database.write(chunk))
    database.on('data', (chunk) => {
      database.pause()
      void mayPass().then(() => {
        // Replies are short: none fills the buffer of a client that reads.
        client.write(chunk)
        database.resume()
      })
    })
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket.setNoDelay(true))
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.end()
      })
    }
  })
  async function mayPass(): Promise<void> {
    if (released === undefined) return
    passing -= 1
    if (passing >= 0) return
    noteHeld()
    await released
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    hold(passedBefore = 0) {
      release()
      passing = passedBefore
      released = new Promise((resolve) => {
        release = () => {
          released = undefined
          resolve()
        }
      })
      return new Promise((resolve) => {
        noteHeld = resolve
      })
    },
    release: () => release(),
    async end() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
