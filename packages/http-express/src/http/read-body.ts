import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, type Zlib } from 'node:zlib'
import { parse } from 'content-type'
import { parseExactJson } from './exact-json.ts'
import { HttpError } from './http-error.ts'

/** The maximum size of a body, after decompression. */
const MAX_BODY_BYTES = 102_400

/**
 * The maximum size of an encoded body as sent. Larger, because an encoding adds a little to what it
 * cannot compress.
 */
const MAX_ENCODED_BYTES = 2 * MAX_BODY_BYTES

const DECOMPRESS = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

/**
 * Reads a JSON body with exact integers. Throws 415 for another content type or encoding, 413 for
 * too much, 400 for invalid JSON, in this order. Not `express.json()`, which responds to an
 * oversized body only after all of it has arrived, and replaces bytes that are not UTF-8 instead of
 * rejecting them (docs/decisions/0007-exact-integers.md).
 */
export async function readJsonBody(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
  assertJson(req.headers['content-type'])
  const encoding = contentEncoding(req)
  const sent = await readBytes(
    req,
    res,
    encoding === undefined ? MAX_BODY_BYTES : MAX_ENCODED_BYTES,
  )
  const bytes = encoding === undefined ? sent : await decompress(sent, encoding)
  if (bytes.length > LONG_INPUT_BYTES) await yieldToEventLoop()
  return parseBody(bytes)
}

/** Parameters whose quotes are closed. The parser takes others for the end of the text. */
const CLOSED_QUOTES = /^(?:[^"]|"(?:[^"\\]|\\.)*")*$/

/**
 * An open quote ends with the text: to look for its end from each quote in it would take quadratic
 * time.
 */
const QUOTED = /"(?:[^"\\]|\\.|\\$)*(?:"|$)/g

/** Asserts `application/json` in any case, with no charset or UTF-8. */
function assertJson(sent = ''): void {
  if (sent === 'application/json') return
  const { type, parameters } = parse(sent)
  // The parser takes one of them, a proxy may take the other.
  if ((sent.replace(QUOTED, '""').match(/;[ \t]*charset=/gi) ?? []).length > 1) {
    throw new HttpError('invalid_request', 'Content-Type must have at most one charset.')
  }
  const { charset = 'utf-8' } = parameters
  if (type !== 'application/json' || !/^utf-?8$/i.test(charset) || !CLOSED_QUOTES.test(sent)) {
    throw new HttpError(
      'unsupported_media_type',
      'The body must be sent as Content-Type: application/json, in UTF-8.',
    )
  }
}

function contentEncoding(req: IncomingMessage): keyof typeof DECOMPRESS | undefined {
  const encoding = req.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === '' || encoding === 'identity') return undefined
  if (!Object.hasOwn(DECOMPRESS, encoding)) {
    throw new HttpError(
      'unsupported_media_type',
      'The Content-Encoding must be gzip, deflate, br or identity.',
      {
        'Accept-Encoding': 'gzip, deflate, br',
      },
    )
  }
  return encoding as keyof typeof DECOMPRESS
}

function readBytes(req: IncomingMessage, res: ServerResponse, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A stream that has ended would be waited for without end.
    if (req.readableDidRead || req.readableEnded || req.destroyed) {
      reject(req.readableDidRead || req.readableEnded ? alreadyRead() : bodyEndedEarly())
      return
    }
    if (Number(req.headers['content-length'] ?? 0) > maxBytes) {
      reject(tooLarge())
      return
    }
    // Other expectations, and those of HTTP/1.0, do not reach this point.
    if (req.headers.expect !== undefined && req.httpVersion === '1.1') res.writeContinue()
    const chunks: Buffer[] = []
    let length = 0
    req.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= maxBytes) chunks.push(chunk)
      else reject(tooLarge())
    })
    req.on('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    )
    req.on('error', (cause) => reject(bodyEndedEarly(cause)))
  })
}

async function decompress(sent: Buffer, encoding: keyof typeof DECOMPRESS): Promise<Buffer> {
  try {
    const result = await DECOMPRESS[encoding](sent, { maxOutputLength: MAX_BODY_BYTES, info: true })
    // With `info` the result has the engine beside the bytes, which the library's types do not say.
    const { buffer, engine } = result as unknown as {
      readonly buffer: Buffer
      readonly engine: Zlib
    }
    // The library ignores what follows the end of the compressed data.
    if (engine.bytesWritten !== sent.length) throw new Error('more bytes follow')
    return buffer
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new HttpError('invalid_request', `the body is not valid ${encoding}`, {}, { cause })
  }
}

function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0)
    throw new HttpError('invalid_request', 'the body is empty; it must be a JSON object')
  if (!isUtf8(bytes)) throw new HttpError('invalid_request', 'the body is not valid UTF-8')
  const text = bytes.toString()
  if (text.startsWith('\uFEFF'))
    throw new HttpError('invalid_request', 'the body must not begin with a byte order mark')
  try {
    return parseExactJson(text)
  } catch (cause) {
    throw new HttpError('invalid_request', 'the body is not valid JSON', {}, { cause })
  }
}

/** For an app that this one is mounted in. */
function alreadyRead(): HttpError {
  const message =
    'A body parser has read the body, in which integers may be rounded then: mount the pet app before express.json().'
  return new HttpError('not_implemented', message)
}

function bodyEndedEarly(cause?: unknown): HttpError {
  return new HttpError(
    'invalid_request',
    'The connection broke before the body was complete.',
    {},
    { cause },
  )
}

function tooLarge(): HttpError {
  return new HttpError(
    'payload_too_large',
    `The body must have at most ${MAX_BODY_BYTES} bytes, after decompression.`,
  )
}

/** Input beyond this length takes much more time than usual input. */
export const LONG_INPUT_BYTES = 4_096

let last: Promise<unknown> = Promise.resolve()

/**
 * Resolves in a turn of the event loop that no other caller gets. With it, a hundred requests with
 * long input that arrive together do not run one after the other before the usual requests behind
 * them: the event loop reads those in between. At most as many wait as requests are under way.
 */
export function yieldToEventLoop(): Promise<unknown> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
  return last
}
