// The program that `sendOpenLoop` runs: its options as JSON are the argument, its result is printed.
import { connect, type Socket } from 'node:net'
import { requestBytes } from './connection.ts'
import { quantile } from './flood.ts'
import type { OpenLoopOptions, OpenLoopResult } from './open-loop.ts'

const END_OF_HEAD = Buffer.from('\r\n\r\n')
/** How long it waits for the last responses. */
const DRAIN_MS = 30_000

type OnResponse = (client: Client, status: number, plannedAt: number, head: string) => void

/** One connection: a request, its response, and then the next one. */
class Client {
  isBusy = true
  #plannedAt = 0
  #received: Buffer | undefined
  readonly #socket: Socket
  readonly #onResponse: OnResponse

  constructor(port: number, onReady: () => void, onResponse: OnResponse) {
    this.#onResponse = onResponse
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true })
    this.#socket.once('connect', () => {
      this.isBusy = false
      onReady()
    })
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => onResponse(this, 0, this.isBusy ? this.#plannedAt : 0, ''))
    this.#socket.on('data', (chunk) => this.#read(chunk))
  }

  send(bytes: string, plannedAt: number): void {
    this.isBusy = true
    this.#plannedAt = plannedAt
    this.#socket.write(bytes, 'latin1')
  }

  destroy(): void {
    this.#socket.removeAllListeners('close')
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    const bytes = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk])
    this.#received = bytes
    const bodyStart = bytes.indexOf(END_OF_HEAD) + END_OF_HEAD.length
    if (bodyStart < END_OF_HEAD.length) return
    const head = bytes.toString('latin1', 0, bodyStart)
    if (bytes.length < bodyStart + Number(/\r\ncontent-length: *([0-9]+)/i.exec(head)?.[1] ?? 0)) return
    this.#received = undefined
    this.isBusy = false
    this.#onResponse(this, Number(head.slice(9, 12)), this.#plannedAt, head)
  }
}

async function run(options: OpenLoopOptions): Promise<OpenLoopResult> {
  const { port, key, perSecond, seconds, connections, creates, reconnects = false } = options
  const list = requestBytes({ path: '/v1/pets?limit=20', key })
  const bytesOf = (number: number): string =>
    creates
      ? requestBytes({
          method: 'POST',
          path: '/v1/pets',
          key,
          body: JSON.stringify({ name: `pet-${number}`, categoryId: number }),
        })
      : list
  const statuses: Record<number, number> = {}
  const served: number[] = []
  const rejected: number[] = []
  let [withoutRetryAfter, heldBack, sent, responses, open, start] = [0, 0, 0, 0, 0, 0]
  const inTime = { served: 0, rejected: 0, later: 0 }
  const idle: Client[] = []
  const all = new Set<Client>()

  const onResponse = (client: Client, status: number, plannedAt: number, head: string): void => {
    if (status === 0) {
      all.delete(client)
      open -= 1
    }
    if (plannedAt === 0) return
    const now = performance.now()
    const isInTime = now < start + seconds * 1_000
    responses += 1
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status > 0 && status < 400) {
      served.push(now - plannedAt)
      if (isInTime) inTime.served += 1
      if (isInTime && now >= start + 1_000) inTime.later += 1
    }
    if (status === 503) {
      rejected.push(now - plannedAt)
      if (isInTime) inTime.rejected += 1
      if (!/\r\nretry-after:/i.test(head)) withoutRetryAfter += 1
    }
    const mayStay = status !== 0 && !reconnects && !/\r\nconnection: close/i.test(head)
    if (mayStay) idle.push(client)
    else if (status !== 0) {
      all.delete(client)
      open -= 1
      client.destroy()
    }
  }
  const openOne = (onReady: (client: Client) => void): void => {
    open += 1
    const client: Client = new Client(port, () => onReady(client), onResponse)
    all.add(client)
  }

  if (!reconnects) {
    await new Promise<void>((resolve) => {
      let ready = 0
      for (let count = 0; count < connections; count += 1) {
        openOne((client) => {
          idle.push(client)
          ready += 1
          if (ready === connections) resolve()
        })
      }
    })
  }

  start = performance.now()
  const planned = Math.round(perSecond * seconds)
  let number = 0
  while (number < planned) {
    const due = Math.min(planned, Math.floor(((performance.now() - start) * perSecond) / 1_000))
    for (; number < due; number += 1) {
      const plannedAt = start + (number * 1_000) / perSecond
      const client = idle.pop()
      if (client !== undefined) client.send(bytesOf(number), plannedAt)
      else if (open < connections) openOne((opened) => opened.send(bytesOf(number), plannedAt))
      else {
        heldBack += 1
        continue
      }
      sent += 1
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const end = performance.now() + DRAIN_MS
  while (responses < sent && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10))
  for (const client of all) client.destroy()
  if (responses < sent) statuses[0] = (statuses[0] ?? 0) + sent - responses
  return {
    planned,
    heldBack,
    statuses,
    withoutRetryAfter,
    p50Ms: Math.round(quantile(served, 0.5)),
    p99Ms: Math.round(quantile(served, 0.99)),
    rejectedP99Ms: Math.round(quantile(rejected, 0.99)),
    servedPerSecond: Math.round(inTime.served / seconds),
    rejectedPerSecond: Math.round(inTime.rejected / seconds),
    laterPerSecond: Math.round(inTime.later / (seconds - 1)),
  }
}

console.log(JSON.stringify(await run(JSON.parse(process.argv[2] ?? '{}') as OpenLoopOptions)))
