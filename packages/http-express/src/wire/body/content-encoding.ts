import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, type Zlib } from 'node:zlib'
import { HttpError } from '../../response/http-error.ts'
import { tooLarge } from './body-limit.ts'

const DECOMPRESS = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} satisfies Record<ContentEncoding, unknown>

export type ContentEncoding = 'gzip' | 'x-gzip' | 'deflate' | 'br'

/** The encoding of a body; `undefined` if it has none. Throws a 415 for an unknown encoding. */
export function readContentEncoding(sent: string | undefined): ContentEncoding | undefined {
  const encoding = sent?.trim().toLowerCase()
  if (encoding === undefined || encoding === '' || encoding === 'identity') return undefined
  if (!Object.hasOwn(DECOMPRESS, encoding)) {
    throw new HttpError(
      'unsupported_media_type',
      'The Content-Encoding must be gzip, deflate, br or identity.',
      { 'Accept-Encoding': 'gzip, deflate, br' },
    )
  }
  return encoding as ContentEncoding
}

/** Decompresses a whole body. Rejects with 413 as soon as it has more than `maxBytes`. */
export async function decompress(
  sent: Buffer,
  encoding: ContentEncoding,
  maxBytes: number,
): Promise<Buffer> {
  try {
    const result = await DECOMPRESS[encoding](sent, { maxOutputLength: maxBytes, info: true })
    // With `info` the result also has the engine, which the types of Node do not declare.
    const { buffer, engine } = result as unknown as {
      readonly buffer: Buffer
      readonly engine: Zlib
    }
    // Node ignores bytes after the end of the compressed data.
    if (engine.bytesWritten !== sent.length) throw new Error('more bytes follow')
    return buffer
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new HttpError('invalid_request', `the body is not valid ${encoding}`, {}, { cause })
  }
}
