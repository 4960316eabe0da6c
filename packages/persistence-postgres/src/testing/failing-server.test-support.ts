import { type FaultyProxy, openFaultyProxy } from '@pet-store/testing'
import { onTestFinished } from 'vitest'

/**
 * A server behind a proxy that makes statements fail, by default with 40001. Begin and rollback
 * always work.
 */
export interface FailingServer {
  readonly url: string
  /** One of `count` statements fails. */
  failEvery(count: number): void
  /** One statement fails: the first one from now on, or a later one. */
  failOnce(count: number): void
}

/** Opens a proxy in front of the server of a URL; it is closed at the end of the test. */
export async function openProxy(url: string): Promise<FaultyProxy> {
  const proxy = await openFaultyProxy(url)
  onTestFinished(() => proxy.close())
  return proxy
}

/** The error of each failed statement, with the severity as the server translates it. */
export interface InjectedError {
  readonly code?: string
  readonly severity?: string
}

export async function openFailingServer(
  url: string,
  { code = '40001', severity }: InjectedError = {},
): Promise<FailingServer> {
  let failsEvery = Number.POSITIVE_INFINITY
  let failsAt = 0
  let statements = 0
  const isFailing = (): boolean => {
    statements += 1
    return statements % failsEvery === 0 || statements === failsAt
  }
  const proxy = await openFaultyProxy(url, {
    changeRequests: () => replaceStatements(isFailing, code),
    ...(severity !== undefined && { changeReplies: () => translateErrors(severity) }),
  })
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

/** Opens a proxy that reports each error of a server in another language. */
export async function openTranslatedServer(url: string, severity: string): Promise<FaultyProxy> {
  const proxy = await openFaultyProxy(url, { changeReplies: () => translateErrors(severity) })
  onTestFinished(() => proxy.close())
  return proxy
}

/**
 * Reads what a client sends, and replaces a simple query, or everything up to a Sync, by a query
 * that fails with this code. The server responds to either with an error and that it is ready.
 */
function replaceStatements(isFailing: () => boolean, code: string): (data: Buffer) => Buffer {
  const injected = `do $$ begin raise exception 'injected' using errcode = '${code}'; end $$`
  const split = splitMessages(false)
  let group: Buffer[] = []
  return (data) => {
    const sent: Buffer[] = []
    for (const { type, message } of split(data)) {
      if (type === undefined) {
        sent.push(message)
        continue
      }
      group.push(message)
      if (!'QSX'.includes(type)) continue
      const text = Buffer.concat(group).toString('latin1')
      const mustWork =
        type === 'X' || /\0?(?:begin|start transaction|rollback)\b/i.test(text.slice(0, 40))
      sent.push(
        ...(!mustWork && isFailing()
          ? [simpleQuery(/commit/i.test(text.slice(0, 40)) ? `rollback; ${injected}` : injected)]
          : group),
      )
      group = []
    }
    return Buffer.concat(sent)
  }
}

/**
 * Reads what a server sends, and changes the texts of its errors. The severity that is never
 * translated (V) is left out, as servers before 9.6 do and the driver does.
 */
function translateErrors(severity: string): (data: Buffer) => Buffer {
  const split = splitMessages(true)
  return (data) =>
    Buffer.concat(
      split(data).map(({ type, message }) => {
        if (type !== 'E') return message
        const code = /\0C(.{5})\0/.exec(message.toString('latin1'))?.[1]
        return messageOf('E', `S${severity}\0C${code}\0Mтекст\0\0`)
      }),
    )
}

/** Cuts what arrives into whole messages. The first one of a client has no type. */
function splitMessages(
  isOfServer: boolean,
): (data: Buffer) => readonly { readonly type: string | undefined; readonly message: Buffer }[] {
  let rest = Buffer.alloc(0)
  let hasType = isOfServer
  return (data) => {
    rest = Buffer.concat([rest, data])
    const messages: { type: string | undefined; message: Buffer }[] = []
    for (;;) {
      const start = hasType ? 1 : 0
      if (rest.length < start + 4) return messages
      const length = start + rest.readUInt32BE(start)
      if (rest.length < length) return messages
      const message = rest.subarray(0, length)
      messages.push({
        type: hasType ? String.fromCharCode(message[0] as number) : undefined,
        message,
      })
      rest = rest.subarray(length)
      hasType = true
    }
  }
}

function simpleQuery(sql: string): Buffer {
  return messageOf('Q', `${sql}\0`)
}

function messageOf(type: string, body: string): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1')
  head.writeUInt32BE(Buffer.byteLength(body) + 4, 1)
  return Buffer.concat([head, Buffer.from(body)])
}
