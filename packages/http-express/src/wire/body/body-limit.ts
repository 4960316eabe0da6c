import { HttpError } from '../../response/http-error.ts'

/** The maximum size of a body, after decompression. */
export const MAX_BODY_BYTES = 102_400

/**
 * The maximum size of an encoded body before decompression. It is larger, because an encoding adds
 * a little to data that it cannot compress.
 */
export const MAX_ENCODED_BYTES: number = 2 * MAX_BODY_BYTES

/** The 413 of a larger body. */
export function tooLarge(): HttpError {
  return new HttpError(
    'payload_too_large',
    `The body must have at most ${MAX_BODY_BYTES} bytes, after decompression.`,
  )
}
