import type { Scope } from '@pet-store/access'

/** Who sent a request. */
export interface Caller {
  /** The public id of the key, good for logs and metrics. */
  readonly keyId: string
  readonly scopes: readonly Scope[]
}
