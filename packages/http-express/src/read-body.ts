import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { HttpError } from './error-answer.ts'
import { parseExactJson } from './exact-json.ts'

/** The greatest body, in bytes after decompression. */
const MAX_BODY_BYTES = 102_400

/** The greatest encoded body as sent. An encoding adds a little to what can't be compressed, so this is more. */
const MAX_ENCODED_BYTES = 2 * MAX_BODY_BYTES

const DECOMPRESS = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const

/**
 * Reads a JSON body with exact integers. Throws 415 for another content type or encoding, 413 for too much, 400 for
 * what is not JSON, in this order. Our own, because Express's reader answers an oversized body only after all of it
 * has arrived, accepts encodings that we do not, and replaces bytes that are not UTF-8 instead of refusing them.
 */
export async function readJsonBody(req: IncomingMessage): Promise<unknown> {
  expectJson(req.headers['content-type'])
  const encoding = contentEncoding(req)
  const sent = await readBytes(req, encoding === undefined ? MAX_BODY_BYTES : MAX_ENCODED_BYTES)
  return parseBody(encoding === undefined ? sent : await decompress(sent, encoding))
}

/** `application/json` in any case, with no charset or UTF-8. */
const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i
const CHARSET = /;[ \t]*charset=([^; \t]*)/i
const UTF_8 = /^(?:utf-?8|"utf-?8")$/i

function expectJson(type: string | undefined): void {
  if (type === 'application/json') return
  const charset = type === undefined ? undefined : CHARSET.exec(type)?.[1]
  if (type === undefined || !JSON_TYPE.test(type) || (charset !== undefined && !UTF_8.test(charset))) {
    throw new HttpError('unsupported_media_type', 'The body must be sent as Content-Type: application/json, in UTF-8.')
  }
}

function contentEncoding(req: IncomingMessage): keyof typeof DECOMPRESS | undefined {
  const encoding = req.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === '' || encoding === 'identity') return undefined
  if (!Object.hasOwn(DECOMPRESS, encoding)) {
    throw new HttpError('unsupported_media_type', 'The Content-Encoding must be gzip, deflate, br or identity.', {
      'Accept-Encoding': 'gzip, deflate, br',
    })
  }
  return encoding as keyof typeof DECOMPRESS
}

function readBytes(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(req.headers['content-length'] ?? 0) > maxBytes) {
      reject(tooLarge())
      return
    }
    const chunks: Buffer[] = []
    let length = 0
    req.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= maxBytes) chunks.push(chunk)
      else reject(tooLarge())
    })
    req.on('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)))
    req.on('error', (cause) => {
      reject(new HttpError('invalid_request', 'The connection broke before the body was complete.', {}, { cause }))
    })
  })
}

async function decompress(sent: Buffer, encoding: keyof typeof DECOMPRESS): Promise<Buffer> {
  try {
    return await DECOMPRESS[encoding](sent, { maxOutputLength: MAX_BODY_BYTES })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new HttpError('invalid_request', `the body is not valid ${encoding}`, {}, { cause })
  }
}

function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new HttpError('invalid_request', 'the body is empty; it must be a JSON object')
  if (!isUtf8(bytes)) throw new HttpError('invalid_request', 'the body is not valid UTF-8')
  const text = bytes.toString()
  if (text.startsWith('\uFEFF'))
    throw new HttpError('invalid_request', 'the body must not begin with a byte order mark')
  try {
    return parseExactJson(text)
  } catch (cause) {
    // A RangeError: the text is nested deeper than the parser follows.
    const reason = cause instanceof SyntaxError ? 'not valid JSON' : 'nested too deep'
    throw new HttpError('invalid_request', `the body is ${reason}`, {}, { cause })
  }
}

function tooLarge(): HttpError {
  return new HttpError('payload_too_large', `The body must have at most ${MAX_BODY_BYTES} bytes, after decompression.`)
}
