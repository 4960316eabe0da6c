import type { ErrorFields, ResultColumn } from './server-messages.ts'

/** The points at which a session asks its script, in the order of one statement. */
export type Boundary =
  | 'startup'
  | 'parse'
  | 'bind'
  | 'describe'
  /** Before the statement runs. */
  | 'execute'
  /** After the statement has run, before `CommandComplete` is sent. */
  | 'complete'
  /** At `Sync`, after `CommandComplete`, before the commit. */
  | 'commit'
  /** After the commit, before `ReadyForQuery` is sent. */
  | 'ready'

/** What happens at a boundary. With `commits` the transaction commits before the session ends. */
export type Disruption =
  /** Fails the statement; the session goes on. */
  | { readonly kind: 'error'; readonly error: ErrorFields }
  /** Ends the session with an error. */
  | { readonly kind: 'fatal'; readonly error: ErrorFields; readonly commits: boolean }
  | { readonly kind: 'close' | 'reset'; readonly commits: boolean }
  /** Nothing that the session sends arrives any more, but it goes on working. */
  | { readonly kind: 'silence' }
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'notice'; readonly error: ErrorFields }
  /** The prepared statements are gone, as behind a pooler. */
  | { readonly kind: 'forget' }

/** Decides what happens at each boundary. */
export interface Script {
  /**
   * Returns a disruption, or `undefined` if nothing goes wrong. `transaction` is the one under way,
   * if any.
   */
  at(boundary: Boundary, transaction: ScriptedTransaction | undefined): Disruption | undefined
}

/** Executes the statements of sessions. */
export interface ScriptedDatabase {
  /** Reads a statement. Throws for one that it does not know. */
  prepare(sql: string): ScriptedStatement
  begin(): ScriptedTransaction
}

export interface ScriptedStatement {
  readonly columns: readonly ResultColumn[]
  readonly parameterCount: number
  /** Rejects with a `StatementFailure` when the server rejects it. */
  run(values: readonly (string | null)[], transaction: ScriptedTransaction): Promise<ScriptedResult>
}

export interface ScriptedResult {
  readonly rows: readonly (readonly (string | null)[])[]
  /** Such as `SELECT 3` or `INSERT 0 1`. */
  readonly tag: string
}

export interface ScriptedTransaction {
  /** Whether it has changed anything. */
  readonly hasChanges: boolean
  commit(): void
  rollback(): void
}

export interface SessionOptions {
  readonly database: ScriptedDatabase
  readonly script: Script
  /** The severity of errors of statements, in the language of the server. Default: `ERROR`. */
  readonly severity?: string
  /** Called with errors that the script does not plan, such as for an unknown statement. */
  readonly onFailure: (error: Error) => void
  readonly onEnd?: () => void
}

/** Why the server rejects a statement. */
export class StatementFailure extends Error {
  readonly fields: ErrorFields

  constructor(fields: ErrorFields) {
    super(fields.message)
    this.fields = fields
  }
}
