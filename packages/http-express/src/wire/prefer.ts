import type { IncomingMessage, ServerResponse } from 'node:http'
import * as z from 'zod'
import { addHeader } from '../response/response.ts'

/**
 * The header for the description. Any text is valid: unknown preferences are ignored (RFC 7240).
 */
export const preferHeader: z.ZodType = z
  .string()
  // No preference needs more. This is for the description only; a longer text is not rejected.
  .max(1_000)
  .optional()
  .meta({
    param: {
      description:
        '`handling=strict`: unknown parameters and fields are rejected with 400 ' +
        'instead of ignored.',
      example: 'handling=strict',
    },
  })

/**
 * Whether the client asked for strict handling (`Prefer: handling=strict`, RFC 7240), under which
 * unknown parameters and fields are rejected instead of ignored. Adds `Preference-Applied` to the
 * response.
 */
export function applyPreference(req: IncomingMessage, res: ServerResponse): boolean {
  const prefer = req.headers['prefer']
  if (prefer === undefined || !prefersStrict(String(prefer))) return false
  addHeader(res, 'Preference-Applied', 'handling=strict')
  return true
}

/**
 * Whether the first `handling`, which is the one that counts (RFC 7240, section 2), is `strict`.
 * Names are case-insensitive, and the value may be quoted.
 */
function prefersStrict(prefer: string): boolean {
  for (const preference of withoutQuotes(prefer).split(',')) {
    const [name = '', value = ''] = (preference.split(';')[0] ?? '').split('=')
    if (name.trim().toLowerCase() === 'handling') return value.trim().toLowerCase() === 'strict'
  }
  return false
}

/** Removes quotes and replaces separators inside them. An open quote extends to the end. */
function withoutQuotes(prefer: string): string {
  return prefer.replace(/"((?:[^"\\]|\\.|\\$)*)(?:"|$)/g, (_, quoted: string) =>
    quoted.replace(/[,;=]/g, '_'),
  )
}
