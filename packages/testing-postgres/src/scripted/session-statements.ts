import { type ScriptedDatabase, type ScriptedStatement, StatementFailure } from './script.ts'
import { controlsTransaction } from './transaction-commands.ts'

/** A statement that a session has prepared. */
export interface Prepared {
  readonly statement: ScriptedStatement
  readonly sql: string
}

/** A prepared statement with its values. */
export interface Portal extends Prepared {
  readonly values: readonly (string | null)[]
}

/** The statements that are prepared in a session, by name. */
export class SessionStatements {
  readonly #database: ScriptedDatabase
  readonly #prepared = new Map<string, Prepared>()
  readonly #portals = new Map<string, Portal>()

  constructor(database: ScriptedDatabase) {
    this.#database = database
  }

  prepare(sql: string): Prepared {
    if (!controlsTransaction(sql)) return { statement: this.#database.prepare(sql), sql }
    const run = async () => ({ rows: [], tag: '' })
    return { statement: { columns: [], parameterCount: 0, run }, sql }
  }

  parse(name: string, sql: string): void {
    if (name !== '' && this.#prepared.has(name))
      throw failure('42P05', `prepared statement "${name}" already exists`)
    this.#prepared.set(name, this.prepare(sql))
  }

  bind(name: string, statement: string, values: readonly (string | null)[]): void {
    this.#portals.set(name, { ...this.get(statement), values })
  }

  close(name: string): void {
    this.#prepared.delete(name)
  }

  /** Forgets every statement, as a pooler does that changes the connection. */
  forget(): void {
    this.#prepared.clear()
  }

  /** Forgets every portal, as a server does at the end of a transaction. */
  endPortals(): void {
    this.#portals.clear()
  }

  get(name: string): Prepared {
    const prepared = this.#prepared.get(name)
    if (prepared !== undefined) return prepared
    throw failure('26000', `prepared statement "${name}" does not exist`)
  }

  portal(name: string): Portal {
    const portal = this.#portals.get(name)
    if (portal !== undefined) return portal
    throw failure('34000', `portal "${name}" does not exist`)
  }
}

/** Makes an error of a statement that the session itself detects. */
export function failure(code: string, message: string): StatementFailure {
  return new StatementFailure({ severity: 'ERROR', code, message })
}
