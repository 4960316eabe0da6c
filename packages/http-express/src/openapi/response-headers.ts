import type { oas31 } from 'zod-openapi'

/** Response headers by name. */
export type Headers = Readonly<Record<string, oas31.HeaderObject>>

export const REQUEST_ID: Headers = {
  'X-Request-Id': header(
    'Names the request in the log: the `X-Request-Id` of the request where it is safe to repeat, else a new one.',
  ),
}

/** Where the requests of a key are limited. */
export const RATE_LIMIT: Headers = optional({
  'RateLimit-Policy': header('How many requests the key may make, where that is limited.'),
  RateLimit: header('How many of them are left, and for how many seconds.'),
})

export const PREFERENCE: Headers = optional({
  'Preference-Applied': header('`handling=strict` where the request asked for it (RFC 7240).'),
})

export const CHALLENGE: Headers = { 'WWW-Authenticate': header('A `Bearer` challenge (RFC 6750).') }

export const RETRY_AFTER: Headers = {
  'Retry-After': { ...header('How many seconds to wait.'), schema: { type: 'integer', format: 'int32', minimum: 1 } },
}

export const ACCEPT_ENCODING: Headers = optional({
  'Accept-Encoding': header('The encodings that are possible, where the `Content-Encoding` was not one of them.'),
})

export const NEXT_PAGE: Headers = optional({
  Link: header('`rel="next"` leads to the next page (RFC 8288). Absent on the last page.'),
})

export const LOCATION: Headers = optional({
  Location: header(
    'The address of the new pet: relative to the request, or absolute. Absent once `getPet` is removed.',
  ),
})

export const REPLAYED: Headers = optional({
  'Idempotency-Replayed': {
    ...header('`true` if an earlier request with the same `Idempotency-Key` added the pet.'),
    schema: { type: 'string', enum: ['true'] },
  },
})

export const DEPRECATION: Headers = {
  Deprecation: header('Since when the operation is deprecated (RFC 9745).'),
  Sunset: header('When it ends (RFC 8594).'),
  Link: header('`rel="deprecation"` leads to the reference page.'),
}

/** The same headers on responses that can lack them. */
export function optional(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, { ...header, required: false }]))
}

function header(description: string): oas31.HeaderObject {
  return { description, required: true, schema: { type: 'string' } }
}
