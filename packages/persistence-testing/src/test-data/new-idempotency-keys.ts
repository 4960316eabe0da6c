import type { IdempotencyKey } from '@pet-store/domain'
import { after } from './times.ts'

interface TimedKey extends IdempotencyKey {
  readonly at: Date
}

/** An idempotency key; a case names only the fields that it is about. */
export function anIdempotencyKey(fields: Partial<TimedKey> = {}): TimedKey {
  return { owner: 'shop', key: 'key', fingerprint: 'Rex', at: after(0), ...fields }
}
