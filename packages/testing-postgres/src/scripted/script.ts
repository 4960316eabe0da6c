import type { ErrorFields, ResultColumn } from './server-messages.ts'

/** Where a session asks its script, in the order of one statement. */
export type Boundary =
  | 'startup'
  | 'parse'
  | 'bind'
  | 'describe'
  /** Before the statement runs. */
  | 'execute'
  /** It has run, and `CommandComplete` was not sent yet. */
  | 'complete'
  /** At `Sync`, after `CommandComplete`: the commit is next. */
  | 'commit'
  /** It is committed, and `ReadyForQuery` was not sent yet. */
  | 'ready'

/** What happens at a boundary. With `commits` the transaction commits before a session ends. */
export type Disruption =
  /** Fails the statement; the session goes on. */
  | { readonly kind: 'error'; readonly error: ErrorFields }
  /** Ends the session with an error. */
  | { readonly kind: 'fatal'; readonly error: ErrorFields; readonly commits: boolean }
  | { readonly kind: 'close' | 'reset'; readonly commits: boolean }
  /** Nothing that the session sends arrives any more. It goes on working. */
  | { readonly kind: 'silence' }
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'notice'; readonly error: ErrorFields }
  /** The prepared statements are gone, as behind a pooler. */
  | { readonly kind: 'forget' }

/** Decides what happens at each boundary. `undefined`: what a healthy server does. */
export interface Script {
  /** With the transaction, where one is under way. */
  at(boundary: Boundary, transaction: ScriptedTransaction | undefined): Disruption | undefined
}

/** What executes the statements behind the protocol. */
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

/** What a session needs. */
export interface SessionOptions {
  readonly database: ScriptedDatabase
  readonly script: Script
  /** How an error of a statement is called: ERROR, unless the server speaks another language. */
  readonly severity?: string
  /** Called with what nobody has planned, such as an unknown statement. */
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
