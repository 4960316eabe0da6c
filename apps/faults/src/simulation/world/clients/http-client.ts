import {
  MemorySocket,
  type NetworkLink,
  readResponse,
  requestBytes,
  type WireRequest,
  type WireResponse,
  wireResponse,
} from '@pet-store/testing'
import { pause } from '../virtual-time.ts'

export interface Sending extends WireRequest {
  /** The client resets the connection after this time. Default: it waits for the response. */
  readonly leavesAfterMs?: number | undefined
  /** The request is sent in chunks, with these pauses between them. Default: whole. */
  readonly pausesMs?: readonly number[] | undefined
}

/** A client of one server, over connections in memory that it keeps where it may. */
export class HttpClient {
  readonly #open: (socket: MemorySocket) => void
  readonly #link: () => NetworkLink
  #idle: MemorySocket | undefined

  constructor(open: (socket: MemorySocket) => void, link: () => NetworkLink) {
    this.#open = open
    this.#link = link
  }

  /** `undefined` when there was no response. */
  async send(sending: Sending): Promise<WireResponse | undefined> {
    const socket = this.#idle ?? this.#connect()
    this.#idle = undefined
    const response = await responseOn(socket, sending)
    // After an early response the rest of a slow request still comes.
    const isWhole = sending.pausesMs === undefined
    const mayStay = isWhole && response !== undefined && response.headers['connection'] !== 'close'
    if (mayStay && this.#idle === undefined && !socket.destroyed) this.#idle = socket
    else socket.destroy()
    return response
  }

  close(): void {
    this.#idle?.destroy()
    this.#idle = undefined
  }

  #connect(): MemorySocket {
    const socket = new MemorySocket()
    socket.on('error', () => {})
    const end = new MemorySocket({ allowHalfOpen: true })
    MemorySocket.join(socket, end, this.#link)
    socket.on('close', () => {
      if (this.#idle === socket) this.#idle = undefined
    })
    this.#open(end)
    return socket
  }
}

function responseOn(
  socket: MemorySocket,
  { leavesAfterMs, pausesMs = [], ...request }: Sending,
): Promise<WireResponse | undefined> {
  return new Promise((resolve) => {
    let received: Buffer = Buffer.alloc(0)
    let leaving: NodeJS.Timeout | undefined
    const settle = (response: WireResponse | undefined) => {
      clearTimeout(leaving)
      socket.off('data', onData)
      socket.off('close', onClose)
      resolve(response)
    }
    const onClose = () => settle(undefined)
    const onData = (bytes: Buffer) => {
      received = Buffer.concat([received, bytes])
      const response = readResponse(received)
      if (response !== undefined && response.status !== 100) settle(wireResponse(response))
    }
    socket.on('data', onData)
    socket.on('close', onClose)
    if (leavesAfterMs !== undefined)
      leaving = setTimeout(() => socket.resetAndDestroy(), leavesAfterMs)
    void sendIn(socket, Buffer.from(requestBytes(request)), pausesMs)
  })
}

/** Sends bytes in chunks of one length, with pauses between them. */
async function sendIn(
  socket: MemorySocket,
  bytes: Buffer,
  pausesMs: readonly number[],
): Promise<void> {
  const length = Math.ceil(bytes.length / (pausesMs.length + 1))
  socket.write(bytes.subarray(0, length))
  for (const [index, pauseMs] of pausesMs.entries()) {
    await pause(pauseMs)
    if (!socket.writable) return
    socket.write(bytes.subarray((index + 1) * length, (index + 2) * length))
  }
}

/** A response in a few words. */
export function summaryOf(response: WireResponse | undefined): string {
  return response === undefined
    ? 'no response'
    : `${response.status} ${response.text.slice(0, 120)}`
}
