import type { Pet, PetId } from '@pet-store/domain'
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
   * Makes an empty database and returns its URL. Nothing uses an earlier one, so it may also empty that and
   * return its URL again. With `mayHaveSchema` it may leave the schema there: most cases need no new one.
   */
  emptyDatabase(options?: { readonly mayHaveSchema?: boolean }): Promise<string>
  /** Makes a database with an older schema. Absent for an adapter whose schema never changed. */
  outdatedDatabase?(): Promise<OutdatedDatabase>
  /** What Node imports to get `open` in another process: a `file:` URL or the name of a package. */
  readonly module?: string
  /** Under which name that module exports `open` (default: `default`). */
  readonly exportName?: string
  /** Under which name it exports `openBulkAccess` (default: `openBulkAccess`). */
  readonly bulkExportName?: string
  /** Options of Node for that process (default: none). */
  readonly nodeOptions?: readonly string[]
  /** Ends the database as a crash does, `kill -9` of a server for example; what is on its disk stays. */
  interrupt?(url: string): Promise<Interruption>
  /** Stops the database from responding, `kill -STOP` of a server for example: connections stay, and new ones hang. */
  freeze?(url: string): Promise<Interruption>
  /** Deletes a pet without the adapter, as an operator does by hand. */
  deletePet?(url: string, id: PetId): Promise<void>
  /** Makes a replica of the database as it is now, which never shows what is written later. */
  pausedReplica?(url: string): Promise<PausedReplica>
  /** Removes what the harness has made. */
  close?(): Promise<void>
}

/** A database with an older schema, and what it contains. */
export interface OutdatedDatabase {
  readonly url: string
  /** The pets in it, by ascending id: at least one of each status and one without. */
  readonly pets: readonly Pet[]
}

/** A replica that stands still. */
export interface PausedReplica {
  readonly url: string
  end(): Promise<void>
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

/** Opens a database, creating its schema if needed, and closes it after the work. */
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
