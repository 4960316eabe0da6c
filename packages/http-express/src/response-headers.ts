import type { oas31 } from 'zod-openapi'

/** Headers of an answer, by name. */
export type Headers = Readonly<Record<string, oas31.HeaderObject>>

export const REQUEST_ID: Headers = {
  'X-Request-Id': header('Names the request in the log: its own `X-Request-Id` where that is sane, else a new one.'),
}

/** Where it is limited how often a key may be used. */
export const RATE_LIMIT: Headers = optional({
  'RateLimit-Policy': header('How often the key may be used, where that is limited.'),
  RateLimit: header('How much of that is left, and for how many seconds.'),
})

export const PREFERENCE: Headers = optional({
  'Preference-Applied': header('`handling=strict` where that was asked for (RFC 7240).'),
})

export const CHALLENGE: Headers = { 'WWW-Authenticate': header('A `Bearer` challenge (RFC 6750).') }

export const RETRY_AFTER: Headers = {
  'Retry-After': { ...header('How many seconds to wait.'), schema: { type: 'integer', minimum: 1 } },
}

export const ACCEPT_ENCODING: Headers = optional({
  'Accept-Encoding': header('What can be read, where the `Content-Encoding` was at fault.'),
})

export const NEXT_PAGE: Headers = optional({
  Link: header('`rel="next"` leads to the following page (RFC 8288); there exactly when there is one.'),
})

export const LOCATION: Headers = optional({
  Location: header(
    'Where the new pet is: a reference relative to the request, or absolute. Left out once `getPet` is removed.',
  ),
})

export const DEPRECATION: Headers = {
  Deprecation: header('Since when the operation is deprecated (RFC 9745).'),
  Sunset: header('When it ends (RFC 8594).'),
  Link: header('`rel="deprecation"` leads to the reference page.'),
}

/** The same headers on answers that can lack them. */
export function optional(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, { ...header, required: false }]))
}

function header(description: string): oas31.HeaderObject {
  return { description, required: true, schema: { type: 'string' } }
}
