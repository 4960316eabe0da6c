import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isHeld } from '../../request/hold-body.ts'
import { HttpError } from '../../response/http-error.ts'
import { parseExactFields } from '../exact-json.ts'
import { LONG_INPUT_BYTES, yieldToEventLoop } from '../long-input.ts'
import { MAX_BODY_BYTES, MAX_ENCODED_BYTES, tooLarge } from './body-limit.ts'
import { decompress, readContentEncoding } from './content-encoding.ts'
import { assertJson } from './content-type.ts'
import { sendContinue } from './expect-continue.ts'
import { GrowingBuffer } from './growing-buffer.ts'

/**
 * Reads a JSON body with exact integers. Rejects with 415 for another content type or encoding, 413
 * for a body that is too large, and 400 for invalid JSON, in this order.
 *
 * `express.json()` is not used: it responds to an oversized body only after all of it has arrived,
 * and replaces bytes that are not UTF-8 instead of rejecting them
 * (docs/decisions/0007-exact-integers.md).
 */
export async function readJsonBody(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
  const { 'content-type': type, 'content-encoding': encoding } = req.headers
  if (type !== 'application/json') assertJson(type)
  const bytes =
    keptBytes(req) ??
    (encoding === undefined
      ? await readBytes(req, res, MAX_BODY_BYTES)
      : await readEncoded(req, res, encoding))
  if (bytes.length > LONG_INPUT_BYTES) await yieldToEventLoop()
  return parseBody(bytes)
}

/**
 * The decompressed bytes that a body parser of an app around this one has kept: `express.raw()` in
 * `body`; that of Google Cloud Functions, Firebase and NestJS in `rawBody`, beside the parsed body.
 */
function keptBytes(req: IncomingMessage): Buffer | undefined {
  if (!req.readableDidRead && !req.readableEnded) return undefined
  const { rawBody, body } = req as { readonly rawBody?: unknown; readonly body?: unknown }
  const kept = Buffer.isBuffer(rawBody) ? rawBody : body
  if (!Buffer.isBuffer(kept)) return undefined
  if (kept.length > MAX_BODY_BYTES) throw tooLarge()
  return kept
}

async function readEncoded(
  req: IncomingMessage,
  res: ServerResponse,
  sent: string,
): Promise<Buffer> {
  const encoding = readContentEncoding(sent)
  if (encoding === undefined) return readBytes(req, res, MAX_BODY_BYTES)
  return decompress(await readBytes(req, res, MAX_ENCODED_BYTES), encoding, MAX_BODY_BYTES)
}

function readBytes(req: IncomingMessage, res: ServerResponse, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A stream that was read, or has ended, emits nothing more, so waiting for it would never end.
    const isDecoded = typeof req.readableEncoding === 'string'
    const isRead = (req.readableDidRead && !isHeld(req)) || req.readableEnded || isDecoded
    if (isRead || req.destroyed) {
      reject(isRead ? alreadyRead() : bodyEndedEarly())
      return
    }
    if (Number(req.headers['content-length'] ?? 0) > maxBytes) {
      reject(tooLarge())
      return
    }
    if (req.headers.expect !== undefined) sendContinue(req, res)
    // Most bodies are one chunk, which is not copied.
    let only: Buffer = Buffer.alloc(0)
    let several: GrowingBuffer | undefined
    let length = 0
    // Streams that adapters make of a text, or of plain bytes, pass them on as they are.
    req.on('data', (sent: Buffer | string) => {
      const chunk = Buffer.isBuffer(sent) ? sent : Buffer.from(sent)
      const isFirst = length === 0
      length += chunk.length
      if (length > maxBytes) {
        reject(tooLarge())
      } else if (isFirst) {
        only = chunk
      } else {
        if (several === undefined) {
          several = new GrowingBuffer(maxBytes)
          several.append(only)
        }
        several.append(chunk)
      }
    })
    req.on('end', () => resolve(several === undefined ? only : several.bytes()))
    req.on('error', (cause) => reject(bodyEndedEarly(cause)))
  })
}

function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0)
    throw new HttpError('invalid_request', 'the body is empty; it must be a JSON object')
  if (!isUtf8(bytes)) throw new HttpError('invalid_request', 'the body is not valid UTF-8')
  const text = bytes.toString()
  if (text.startsWith('\uFEFF'))
    throw new HttpError('invalid_request', 'the body must not begin with a byte order mark')
  try {
    return parseExactFields(text)
  } catch (cause) {
    throw new HttpError('invalid_request', 'the body is not valid JSON', {}, { cause })
  }
}

/** The error if an app around this one has read the body. */
function alreadyRead(): HttpError {
  const message =
    'Another body parser has read the body, and may have rounded integers in it: ' +
    'mount the pet app before express.json().'
  return new HttpError('not_implemented', message)
}

function bodyEndedEarly(cause?: unknown): HttpError {
  const message = 'The connection broke before the body was complete.'
  return new HttpError('invalid_request', message, {}, { cause })
}
