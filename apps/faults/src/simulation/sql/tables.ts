import { StatementError, type Value } from './values.ts'

export type Row = Readonly<Record<string, Value>>

type ColumnType = 'bool' | 'int8' | 'text'

export interface TableDefinition {
  readonly columns: Readonly<Record<string, ColumnType>>
  readonly unique: readonly (readonly string[])[]
  /** Returns the SQLSTATE with which a row is rejected. */
  readonly rejects?: (row: Row) => string | undefined
}

/** A version of a row, and the transactions that made it and that replaced or deleted it. */
interface Version {
  readonly row: Row
  readonly madeBy: Transaction
  endedBy: Transaction | undefined
}

/** The changes of some statements, which nobody else sees before the commit. */
export class Transaction {
  state: 'active' | 'committed' | 'aborted' = 'active'
  /** How long it waits for another one; 0 for no limit. */
  lockTimeoutMs = 0
  /** The position of its commit in the log. */
  position = 0
  readonly id: number
  /** The tables that it has written, which hold a lock until it ends. */
  readonly written = new Set<string>()
  readonly #changes: {
    readonly version: Version
    readonly table: Table
    readonly ends: boolean
  }[] = []
  readonly #waiting: (() => void)[] = []

  constructor(id: number) {
    this.id = id
  }

  get changes(): number {
    return this.#changes.length
  }

  note(table: Table, version: Version, ends: boolean): void {
    this.#changes.push({ table, version, ends })
  }

  /** Undoes all changes but the first `count`. */
  undoTo(count: number): void {
    for (const { table, version, ends } of this.#changes.splice(count).toReversed()) {
      if (ends) version.endedBy = undefined
      else table.forget(version)
    }
  }

  end(state: 'committed' | 'aborted', position: number): void {
    if (this.state !== 'active') return
    if (state === 'aborted') this.undoTo(0)
    this.state = state
    this.position = position
    for (const wake of this.#waiting.splice(0)) wake()
  }

  whenEnded(): Promise<void> {
    if (this.state !== 'active') return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}

/** A statement must wait for another transaction, and then run again. */
export class WaitsFor extends Error {
  readonly transaction: Transaction

  constructor(transaction: Transaction) {
    super(`waits for transaction ${transaction.id}`)
    this.transaction = transaction
  }
}

/** A table with all versions of its rows, so that a replica can see older ones. */
export class Table {
  readonly name: string
  readonly definition: TableDefinition
  #versions: Version[] = []

  constructor(name: string, definition: TableDefinition) {
    this.name = name
    this.definition = definition
  }

  /** The rows that a transaction sees at a position of the log. */
  rows(position: number, transaction: Transaction | undefined): readonly Row[] {
    return this.#visible(position, transaction).map(({ row }) => row)
  }

  insert(row: Row, transaction: Transaction, skipsConflicts: boolean): Row | undefined {
    const code = this.definition.rejects?.(row)
    if (code !== undefined) throw new StatementError(code, `the row is rejected (${this.name})`)
    for (const unique of this.definition.unique) {
      const conflict = this.#conflictOf(row, unique, transaction)
      if (conflict === undefined) continue
      if (skipsConflicts) return undefined
      throw new StatementError('23505', `duplicate key value violates ${unique} of ${this.name}`)
    }
    this.#add(row, transaction)
    return row
  }

  /** The row that has the same values in unique columns. */
  conflicting(row: Row, transaction: Transaction): Row | undefined {
    for (const unique of this.definition.unique) {
      const conflict = this.#conflictOf(row, unique, transaction)
      if (conflict !== undefined) return conflict.row
    }
    return undefined
  }

  replace(row: Row, by: Row, transaction: Transaction): void {
    this.delete(row, transaction)
    this.insert(by, transaction, false)
  }

  delete(row: Row, transaction: Transaction): boolean {
    const version = this.#versions.find((one) => one.row === row)
    if (version === undefined) return false
    const { endedBy } = version
    if (endedBy !== undefined && endedBy !== transaction) {
      if (endedBy.state === 'active') throw new WaitsFor(endedBy)
      if (endedBy.state === 'committed') return false
    }
    version.endedBy = transaction
    transaction.written.add(this.name)
    transaction.note(this, version, true)
    return true
  }

  forget(version: Version): void {
    this.#versions.splice(this.#versions.lastIndexOf(version), 1)
  }

  #add(row: Row, transaction: Transaction): void {
    const version = { row, madeBy: transaction, endedBy: undefined }
    this.#versions.push(version)
    transaction.written.add(this.name)
    transaction.note(this, version, false)
  }

  #visible(position: number, transaction: Transaction | undefined): Version[] {
    const isSeen = (by: Transaction) =>
      by === transaction || (by.state === 'committed' && by.position <= position)
    return this.#versions.filter(
      ({ madeBy, endedBy }) => isSeen(madeBy) && !(endedBy !== undefined && isSeen(endedBy)),
    )
  }

  /** The version that a row conflicts with. Throws `WaitsFor` if an active transaction decides. */
  #conflictOf(row: Row, unique: readonly string[], transaction: Transaction): Version | undefined {
    for (const version of this.#versions) {
      if (!unique.every((name) => version.row[name] === row[name] && row[name] !== null)) continue
      const { madeBy, endedBy } = version
      if (madeBy !== transaction && madeBy.state === 'active') throw new WaitsFor(madeBy)
      if (endedBy === undefined) return version
      if (endedBy === transaction || endedBy.state === 'committed') continue
      throw new WaitsFor(endedBy)
    }
    return undefined
  }
}
