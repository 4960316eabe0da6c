import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A proxy before a server that fails as networks do. */
export interface FaultyProxy {
  readonly url: string
  /** The number of connections that were opened so far. */
  connections(): number
  /** Forwards nothing more on the present connections, which stay open. New ones work. */
  mute(): void
  /** Resets a connection when the server sends something on it, so that the client loses the result. */
  loseResults(): void
  /** Makes the server fail every so many statements with 40001, whatever they are. Begin and rollback always work. */
  failEvery(count: number): void
  /** Makes the server fail one statement like that: the first one from now on, or a later one. */
  failOnce(count: number): void
  /** Accepts no connection any more, and resets the present ones. */
  close(): void
}

/** Opens a proxy before the server of a URL; it is closed at the end of the test. */
export async function openFaultyProxy(url: string): Promise<FaultyProxy> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let losesResults = false
  let failsEvery = Number.POSITIVE_INFINITY
  let failsAt = 0
  let statements = 0
  let connections = 0
  const isFailing = (): boolean => {
    statements += 1
    return statements % failsEvery === 0 || statements === failsAt
  }
  const proxy = createServer((near) => {
    connections += 1
    const far = connect(Number(port || 5432), hostname)
    const replaced = replaceStatements(isFailing)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (data) => {
        if (losesResults && from === far) near.resetAndDestroy()
        else to.write(from === near ? replaced(data) : data)
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
    connections: () => connections,
    mute() {
      for (const socket of sockets) socket.removeAllListeners('data').pause()
    },
    loseResults() {
      losesResults = true
    },
    failEvery(count) {
      failsEvery = count
    },
    failOnce(count) {
      failsAt = statements + count
    },
    close,
  }
}

const INJECTED = "do $$ begin raise exception 'injected' using errcode = '40001'; end $$"

/**
 * Reads what a client sends, and replaces a simple query, or everything up to a Sync, by one that the server fails with
 * 40001. To both the server responds with an error, and that it is ready.
 */
function replaceStatements(isFailing: () => boolean): (data: Buffer) => Buffer {
  let rest = Buffer.alloc(0)
  let group: Buffer[] = []
  let isStarted = false
  return (data) => {
    rest = Buffer.concat([rest, data])
    const sent: Buffer[] = []
    for (;;) {
      // The first message has no type.
      const start = isStarted ? 1 : 0
      if (rest.length < start + 4) break
      const length = start + rest.readUInt32BE(start)
      if (rest.length < length) break
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      if (!isStarted) sent.push(message)
      else group.push(message)
      isStarted = true
      const type = String.fromCharCode(message[0] as number)
      if (start === 0 || !'QSX'.includes(type)) continue
      const text = Buffer.concat(group).toString('latin1')
      const mustWork = type === 'X' || /\0?(?:begin|start transaction|rollback)\b/i.test(text.slice(0, 40))
      sent.push(
        ...(!mustWork && isFailing()
          ? [simpleQuery(/commit/i.test(text.slice(0, 40)) ? `rollback; ${INJECTED}` : INJECTED)]
          : group),
      )
      group = []
    }
    return Buffer.concat(sent)
  }
}

function simpleQuery(sql: string): Buffer {
  const head = Buffer.from('Q\0\0\0\0', 'latin1')
  head.writeUInt32BE(Buffer.byteLength(sql) + 5, 1)
  return Buffer.concat([head, Buffer.from(`${sql}\0`)])
}
