import type { Pet, PetId } from '@pet-store/domain'
import type {
  OpenBulkAccess,
  OpenPersistence,
  PersistenceCapabilities,
} from '@pet-store/persistence'
import type { ContractCase } from '../case/contract-case.ts'

/**
 * How `adapterContract` reaches an adapter. What is absent makes the cases that need it report why
 * they show nothing.
 */
export interface PersistenceHarness {
  /** Opens the adapter: the function that a persistence module exports. */
  readonly open: OpenPersistence
  /** Opens it for bulk access, if the adapter has that. */
  readonly openBulkAccess?: OpenBulkAccess
  /** What the adapter declares: the export `capabilities` of a persistence module. */
  readonly capabilities?: PersistenceCapabilities
  /**
   * Makes an empty database and returns its URL. Nothing uses an earlier one, so it may also empty
   * that and return its URL again. With `mayHaveSchema` it may leave the schema there: most cases
   * need no new one.
   */
  emptyDatabase(options?: { readonly mayHaveSchema?: boolean }): Promise<string>
  /**
   * Makes another empty database beside one that stays in use. Its name should begin with the name
   * of that one.
   */
  databaseBeside?(url: string): Promise<string>
  /** Makes a database with an older schema. Absent for an adapter whose schema never changed. */
  outdatedDatabase?(): Promise<OutdatedDatabase>
  /**
   * Makes a database that a newer version has migrated: with a migration that the adapter does not
   * know. Absent for an adapter without migrations.
   */
  newerDatabase?(): Promise<NewerDatabase>
  /**
   * Migrates a database that an adapter has open, as a newer version does during a deployment: adds
   * a column to each of its tables, for example. Absent for an adapter without migrations.
   */
  migrateToNewer?(url: string): Promise<void>
  /**
   * Whether several of these harnesses may be used at the same time, because each makes databases,
   * and servers, of its own. Then the command runs groups of cases beside each other, each with a
   * harness of its own (default: one group after the other).
   */
  readonly concurrent?: boolean
  /**
   * Which sequences of random calls are made (default: the same ones in every check). With the
   * command these are its options `--random-calls` and `--seed` instead.
   */
  readonly randomCalls?: RandomCalls
  /** What Node imports to get `open` in another process: a `file:` URL or the name of a package. */
  readonly module?: string
  /** Under which name that module exports `open` (default: `default`). */
  readonly exportName?: string
  /** Under which name it exports `openBulkAccess` (default: `openBulkAccess`). */
  readonly bulkExportName?: string
  /** Options of Node for that process (default: none). */
  readonly nodeOptions?: readonly string[]
  /**
   * Ends the database as a crash does, `kill -9` of a server for example; what is on its disk
   * stays. It shows most if some writes are stored then, and not acknowledged.
   */
  interrupt?(url: string): Promise<Interruption>
  /**
   * Stops the database from responding, `kill -STOP` of a server for example: connections stay, and
   * new ones hang.
   */
  freeze?(url: string): Promise<Interruption>
  /**
   * Leaves the database no capacity for another pet, as a full disk or memory does; what is stored
   * stays.
   */
  fill?(url: string): Promise<Interruption>
  /**
   * Makes the connections that are open stop responding, while new ones work, as if a router had
   * forgotten them: what is sent through them is lost, and nobody says so.
   */
  loseConnections?(url: string): Promise<Interruption>
  /** Deletes a pet without the adapter, as an operator does by hand. */
  deletePet?(url: string, id: PetId): Promise<void>
  /**
   * Makes a replica of the database as it is now, which never shows what is written later. Its
   * pages end early; no case can make a replica that lacks a pet in the middle of a page.
   */
  pausedReplica?(url: string): Promise<PausedReplica>
  /** Removes what the harness has made. */
  close?(): Promise<void>
}

/** Which sequences of random calls are made: for the same numbers the same ones. */
export interface RandomCalls {
  /** How many times as many as usual; these cases may take as much longer (default: 1). */
  readonly times?: number
  /** Another whole number makes other calls (default: 2026). */
  readonly seed?: number
}

/** A database with an older schema, and what it contains. */
export interface OutdatedDatabase {
  readonly url: string
  /** The pets in it, by ascending id: at least one of each status and one without. */
  readonly pets: readonly Pet[]
  /**
   * Gives the database its older schema again while an adapter has it open, as restoring a backup
   * in place does.
   */
  restore?(): Promise<void>
}

/** A database with a newer schema, and what it contains. */
export interface NewerDatabase {
  readonly url: string
  /** The pets in it, by ascending id: at least one of each status and one without. */
  readonly pets: readonly Pet[]
}

/** A replica that stands still. */
export interface PausedReplica {
  readonly url: string
  /** Lets it follow the database from now on. */
  resume?(): Promise<void>
  /** Lets it stand still again. When it resolves, nothing that is written later appears on it. */
  pause?(): Promise<void>
  /** Ends it, even in the middle of what it serves. */
  end(): Promise<void>
}

/** A database that is unavailable. */
export interface Interruption {
  /** Whether reads still work, as with a file that is locked for writing (default: false). */
  readonly readsWork?: boolean
  /** Makes it available again. */
  end(): Promise<void>
}

/** A case of a whole adapter. */
export type HarnessCase = ContractCase<PersistenceHarness>
