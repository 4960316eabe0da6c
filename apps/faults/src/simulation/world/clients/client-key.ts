import type { WireResponse } from '@pet-store/testing'
import type { WorldLedger } from '../world-ledger.ts'

/** A key of a client, and whether it was revoked. */
export interface ClientKey {
  readonly id: string
  readonly text: string
  /** From then on no request may succeed with it. */
  endsAtMs: number
}

/** Checks that a response to a request under `/v1` fits the state of its key. */
export function checkKey(
  ledger: WorldLedger,
  { endsAtMs }: ClientKey,
  what: string,
  beganAtMs: number,
  { status }: WireResponse,
): void {
  const isServed = status < 300 || status === 404
  if (isServed && beganAtMs > endsAtMs) ledger.violate(`${what}: a revoked key was valid`)
  if (status === 401 && endsAtMs === Number.POSITIVE_INFINITY)
    ledger.violate(`${what}: 401 with a valid key`)
}
