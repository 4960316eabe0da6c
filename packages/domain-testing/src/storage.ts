import type { ApiKeyRepository, CreateRateLimiter } from '@pet-store/access'
import type { PetRepository } from '@pet-store/domain'

/** An open storage, as the service uses it. Who opened it closes it. */
export interface Storage {
  readonly pets: PetRepository
  /** Left out by a storage that keeps no API keys: then only those of the settings are good. */
  readonly apiKeys?: ApiKeyRepository
  /** Left out by a storage that cannot count for several processes: then each one counts for itself. */
  readonly createRateLimiter?: CreateRateLimiter
  /** Kept when the storage answers, rejected with the reason when it does not. Asked often, so it has to be cheap. */
  check(): Promise<void>
  /**
   * Whether it is up to date with this program; it may have been put back to an older state meanwhile. Asked often.
   * Left out where nothing can be behind.
   */
  isMigrated?(): Promise<boolean>
  /** How busy its connections are; left out where there are none. Asked at any time, so it only says what is known. */
  poolUse?(): readonly PoolUse[]
  /** Stores what was begun and lets go of everything. Nothing is asked afterwards. */
  close(): Promise<void>
}

/** How busy the connections to one server are. */
export interface PoolUse {
  /** Names the server among those of the storage, such as `primary`. */
  readonly name: string
  readonly busy: number
  readonly idle: number
  /** How many statements wait for a connection. */
  readonly waiting: number
  /** The most connections there can be. */
  readonly limit: number
}

/** What the service tells an adapter. */
export interface StorageOptions {
  /** The setting `DATABASE_URL`, as it is: what it means is the adapter's business. */
  readonly url: string
  /** Whether the storage may be brought up to date. Where it is behind and may not, opening rejects and says so. */
  readonly migrate?: boolean
}

/** Opens a storage and answers only when it works. The default export of a persistence module. */
export type OpenStorage = (options: StorageOptions) => Promise<Storage>
