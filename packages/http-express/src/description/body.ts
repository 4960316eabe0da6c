import type { ZodOpenApiResponseObject } from 'zod-openapi'
import { header, optional } from './headers.ts'
import { rejection } from './responses.ts'

/** The description of every request body. */
export const BODY_DESCRIPTION: string =
  'At most 102,400 bytes of UTF-8, after decompression. Of duplicate names the last one counts.'

const ACCEPT_ENCODING = optional(
  header(
    'Accept-Encoding',
    'The encodings that are accepted, if the `Content-Encoding` was not one of them.',
  ),
)

/** The responses of every operation with a body to a body that it rejects without reading it. */
export const BODY_REJECTIONS: Readonly<Record<413 | 415, ZodOpenApiResponseObject>> = {
  413: rejection(
    'payload_too_large',
    'The body must have at most 102400 bytes, after decompression.',
  ),
  415: rejection(
    'unsupported_media_type',
    'The body must be sent as Content-Type: application/json, in UTF-8.',
    ACCEPT_ENCODING,
  ),
}
