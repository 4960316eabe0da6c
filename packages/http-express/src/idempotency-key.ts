import type { Request } from 'express'
import { HttpError } from './error-answer.ts'

/** Visible ASCII; a repeated header arrives joined by a comma and a space, and so is none. */
const VISIBLE = /^[\x21-\x7e]{1,255}$/
const QUOTED = /^"([^"\\]*)"$/

/** The `Idempotency-Key` of a request, with or without quotes; `undefined` where there is none. */
export function idempotencyKey(req: Request): string | undefined {
  const sent = req.headers['idempotency-key']
  if (sent === undefined) return undefined
  const text = String(sent)
  const key = text.startsWith('"') ? (QUOTED.exec(text)?.[1] ?? '') : text
  if (VISIBLE.test(key)) return key
  throw new HttpError('invalid_request', 'Idempotency-Key must be 1 to 255 visible ASCII characters, sent once')
}
