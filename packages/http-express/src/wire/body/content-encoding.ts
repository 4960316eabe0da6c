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

/** The encoding of a body; `undefined` for none, 415 for one that is not possible. */
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

/** Decompresses a whole body; 413 once it has more bytes than this. */
export async function decompress(
  sent: Buffer,
  encoding: ContentEncoding,
  maxBytes: number,
): Promise<Buffer> {
  try {
    const result = await DECOMPRESS[encoding](sent, { maxOutputLength: maxBytes, info: true })
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
