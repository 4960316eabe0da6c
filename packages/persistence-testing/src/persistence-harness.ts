import type {
  BulkAccess,
  OpenBulkAccess,
  OpenPersistence,
  Persistence,
  PersistenceCapabilities,
} from '@pet-store/persistence'
import type { ContractCase } from './contract-case.ts'

/** How `persistenceContract` reaches an adapter. What is absent makes the cases that need it report why they show nothing. */
export interface PersistenceHarness {
  /** Opens the adapter: the function that a persistence module exports. */
  readonly open: OpenPersistence
  /** Opens it for bulk access, if the adapter has that. */
  readonly openBulkAccess?: OpenBulkAccess
  /** What the adapter declares: the export `capabilities` of a persistence module. */
  readonly capabilities?: PersistenceCapabilities
  /**
   * Makes an empty place for pets and returns its URL. Nothing uses an earlier place any more, so it may also empty that
   * and return its URL again. With `mayHaveSchema` it may leave the schema there: of 172 cases most need no new one.
   */
  emptyPlace(options?: { readonly mayHaveSchema?: boolean }): Promise<string>
  /** Makes a place whose schema is outdated and returns its URL. Absent for an adapter without migrations. */
  outdatedPlace?(): Promise<string>
  /** What Node imports to get `open` in another process: a `file:` URL or the name of a package. */
  readonly module?: string
  /** Under which name that module exports `open` (default: `default`). */
  readonly exportName?: string
  /** Options of Node for that process (default: none). */
  readonly nodeOptions?: readonly string[]
  /** Makes the database of a place unavailable until the returned function is called. */
  interrupt?(url: string): Promise<Interruption>
  /** Removes what the harness has made. */
  close?(): Promise<void>
}

/** A database that is unavailable. */
export interface Interruption {
  /** Whether reads still work, as with a file that is locked for writing (default: false). */
  readonly readsWork?: boolean
  /** Makes it available again. */
  end(): Promise<void>
}

/** Why a guarantee could not be shown. */
export type NotShown = string

/** A case of `persistenceContract`. It resolves with a reason when the harness or the adapter lacks what it needs. */
export type HarnessCase = ContractCase<PersistenceHarness, NotShown | undefined>

/** Opens a place, creating its schema if needed, and closes it after the work. */
export async function withPersistence<Result>(
  { open }: PersistenceHarness,
  url: string,
  work: (persistence: Persistence) => Promise<Result>,
): Promise<Result> {
  const persistence = await open({ url, migrate: true })
  try {
    return await work(persistence)
  } finally {
    await persistence.close()
  }
}

/** The same for bulk access; the work gets `undefined` if the adapter has none. */
export async function withBulkAccess<Result>(
  { openBulkAccess }: PersistenceHarness,
  url: string,
  work: (bulk: BulkAccess | undefined) => Promise<Result>,
): Promise<Result> {
  const bulk = await openBulkAccess?.({ url, migrate: true })
  try {
    return await work(bulk)
  } finally {
    await bulk?.close()
  }
}
