import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { HttpError } from '../http/http-error.ts'
import { sendError } from '../http/send-response.ts'
import type { AdmissionQueue } from './admission-queue.ts'

/** How long a client may go on sending after its last response, in milliseconds: time to receive that response. */
const LINGER_MS = 1_000

/** How many requests may wait on a connection before no more is read from it. */
const MAX_WAITING = 16

/** A connection as a server sees it. */
export interface ServerSocket extends Duplex {
  destroySoon(): void
}

type Handle = (req: IncomingMessage, res: ServerResponse) => void

/** How the server responds to bytes that are not a valid request. */
export interface Failure {
  readonly error: HttpError
  /** The whole response, for bytes that belong to no request. */
  readonly rawResponse: string
  /** Called when that was sent. */
  readonly onRawSent: () => void
  /** Sends the error as the response to a request that was not handled. */
  readonly reject: (res: ServerResponse) => void
}

/** A request that waits for its turn; without a response where the request could not be parsed. */
interface Waiting {
  readonly res: ServerResponse | undefined
  readonly run: () => void
}

/**
 * The requests of one connection, one at a time: each one is handled once the response before it was sent, and none
 * after a response with `Connection: close` (RFC 9112, 9.3 and 9.6). Node would handle all of them at once, and would
 * execute requests whose responses it can no longer send.
 */
export class Connection {
  readonly #socket: ServerSocket
  readonly #admission: AdmissionQueue
  readonly #waiting: Waiting[] = []
  /** The response that is being produced or sent; afterwards only if the connection closes, or its body still arrives. */
  #current: ServerResponse | undefined
  #isPaused = false
  #isStopping = false
  /** No more requests are handled. */
  #isEnding = false

  constructor(socket: ServerSocket, admission: AdmissionQueue) {
    this.#socket = socket
    this.#admission = admission
    socket.once('close', () => admission.leave(this.#startNext))
    // Node calls it after a response with `Connection: close`. Its own resets a connection with unread bytes. Node also
    // calls it after the last response to a client that has closed its side, where an error may still wait for its turn.
    socket.destroySoon = () => {
      if (this.#waiting.length === 0 || this.#current?.shouldKeepAlive === false) this.#closeSlowly()
    }
  }

  /** Handles a request in its turn. */
  add(req: IncomingMessage, res: ServerResponse, handle: Handle): void {
    if (this.#isEnding || this.#current?.shouldKeepAlive === false) {
      // Not even read on: each further request would be an object in memory.
      this.#socket.pause()
      return
    }
    this.#inTurn(res, () => handle(req, res))
    if (this.#waiting.length >= MAX_WAITING) this.#pause()
  }

  /** Responds to bytes that are not a valid request, in their turn, and closes the connection. */
  fail({ error, rawResponse, onRawSent, reject }: Failure): void {
    // The parser reports each further piece of an invalid request again.
    if (this.#isEnding || this.#current?.shouldKeepAlive === false) return
    if (!this.#socket.writable) {
      this.#socket.destroy()
      return
    }
    this.#isEnding = true
    const last = this.#waiting.at(-1)
    const res = last === undefined ? this.#current : last.res
    if (res === undefined || res.req.complete) {
      this.#inTurn(undefined, () => {
        this.#socket.end(rawResponse)
        onRawSent()
        this.#closeSlowly()
      })
    } else if (last !== undefined) {
      // The body of a request that waits is invalid, so the request is not handled.
      this.#waiting.pop()
      this.#inTurn(res, () => reject(res))
    } else if (res.headersSent) {
      // The rest of a body that has its response already.
      this.#inTurn(undefined, () => this.#closeSlowly())
    } else {
      // Its handler finds the response sent when the body breaks off.
      res.shouldKeepAlive = false
      sendError(res, error)
    }
  }

  /** Closes the connection with the response to the last request that has arrived. An idle one stays open. */
  stop(): void {
    this.#isStopping = true
    if (this.#admission.leave(this.#startNext)) this.#startNext()
    if (this.#current?.headersSent === false && this.#waiting.length === 0) this.#current.shouldKeepAlive = false
  }

  /** Whether a request that arrives now may start now. */
  #isIdle(): boolean {
    return this.#waiting.length === 0 && (this.#current === undefined || this.#current.closed)
  }

  #inTurn(res: ServerResponse | undefined, run: () => void): void {
    if (this.#isIdle()) this.#start(res, run)
    else this.#waiting.push({ res, run })
  }

  #start(res: ServerResponse | undefined, run: () => void): void {
    if (res !== undefined) {
      this.#admission.begin()
      this.#current = res
      res.on('close', this.#ended)
      if (this.#isStopping && this.#waiting.length === 0) res.shouldKeepAlive = false
    }
    run()
  }

  /** After a response was sent: goes on at once, or when it is this connection's turn. */
  readonly #ended = (): void => {
    const { statusCode, shouldKeepAlive, req } = this.#current as ServerResponse
    // An idle connection would keep them from garbage collection until its next request.
    if (shouldKeepAlive && req.complete) this.#current = undefined
    this.#admission.end()
    const mayGoOn =
      !shouldKeepAlive ||
      this.#isStopping ||
      this.#socket.destroyed ||
      this.#admission.mayReadOn(this.#startNext, statusCode === 503)
    if (mayGoOn) this.#startNext()
    // Before the next request is read: a parsed request that waits costs memory, and much time in garbage collection.
    else this.#pause()
  }

  readonly #startNext = (): void => {
    if (this.#current?.shouldKeepAlive === false || this.#socket.destroyed) this.#waiting.length = 0
    const next = this.#waiting.shift()
    if (next !== undefined) this.#start(next.res, next.run)
    this.#readOn()
  }

  #readOn(): void {
    if (!this.#isPaused || this.#waiting.length >= MAX_WAITING) return
    this.#isPaused = false
    this.#socket.resume()
  }

  #pause(): void {
    // Node resumes a connection whenever a body is read or a response was sent.
    if (this.#socket.listenerCount('resume', this.#stayPaused) === 0) this.#socket.on('resume', this.#stayPaused)
    this.#isPaused = true
    this.#socket.pause()
  }

  readonly #stayPaused = (): void => {
    if (this.#isPaused) this.#socket.pause()
  }

  /**
   * Ends the connection, and destroys it when the client does not close its side in time. Destroyed at once, a connection
   * with unread bytes is reset, and a reset may overtake the response (RFC 9112, 9.6).
   */
  #closeSlowly(): void {
    this.#isEnding = true
    this.#isPaused = false
    this.#waiting.length = 0
    this.#socket.end()
    this.#socket.resume()
    const timer = setTimeout(() => this.#socket.destroy(), LINGER_MS)
    this.#socket.once('close', () => clearTimeout(timer))
  }
}
