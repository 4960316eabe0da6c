import { type FaultyProxy, openFaultyProxy } from '@pet-store/testing'
import { onTestFinished } from 'vitest'

/**
 * A server behind a proxy that makes it fail statements with 40001, whatever they are. Begin and
 * rollback always work.
 */
export interface FailingServer {
  readonly url: string
  /** One of `count` statements fails. */
  failEvery(count: number): void
  /** One statement fails: the first one from now on, or a later one. */
  failOnce(count: number): void
}

/** Opens a proxy before the server of a URL; it is closed at the end of the test. */
export async function openProxy(url: string): Promise<FaultyProxy> {
  const proxy = await openFaultyProxy(url)
  onTestFinished(() => proxy.close())
  return proxy
}

export async function openFailingServer(url: string): Promise<FailingServer> {
  let failsEvery = Number.POSITIVE_INFINITY
  let failsAt = 0
  let statements = 0
  const isFailing = (): boolean => {
    statements += 1
    return statements % failsEvery === 0 || statements === failsAt
  }
  const proxy = await openFaultyProxy(url, { changeRequests: () => replaceStatements(isFailing) })
  onTestFinished(() => proxy.close())
  return {
    url: proxy.url,
    failEvery(count) {
      failsEvery = count
    },
    failOnce(count) {
      failsAt = statements + count
    },
  }
}

const INJECTED = "do $$ begin raise exception 'injected' using errcode = '40001'; end $$"

/**
 * Reads what a client sends, and replaces a simple query, or everything up to a Sync, by one that
 * the server fails with
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
      const mustWork =
        type === 'X' || /\0?(?:begin|start transaction|rollback)\b/i.test(text.slice(0, 40))
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
