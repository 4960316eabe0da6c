import type { Random } from '@pet-store/testing'
import type {
  ScriptedDatabase,
  ScriptedStatement,
  ScriptedTransaction,
} from '@pet-store/testing-postgres'
import { describeStatement } from '../sql/describe.ts'
import { execute } from '../sql/execute.ts'
import type { ServerState } from '../sql/functions.ts'
import { parseStatement } from '../sql/parse.ts'
import type { Statement } from '../sql/syntax.ts'
import { type Row, Table, Transaction } from '../sql/tables.ts'
import { textOf } from '../sql/values.ts'
import { readsCatalogs, withCatalogs } from './catalogs.ts'
import { runWithLocks } from './run-with-locks.ts'
import { TABLES } from './simulated-tables.ts'

/** The object ids of PostgreSQL's types. */
const TYPE_IDS: Readonly<Record<string, number>> = {
  bool: 16,
  int8: 20,
  int4: 23,
  text: 25,
  numeric: 1700,
  timestamptz: 1184,
  pg_lsn: 3220,
}

/** What a replica has: what was committed until a time, and up to a position. */
export interface Replay {
  readonly untilMs: number
  readonly position: number
}

/** Sequences are logged some numbers ahead, which a crash loses. */
const IDS_LOST_BY_A_CRASH = 32n

/** Statements are read once for all worlds: their texts are few. */
const parsed = new Map<string, Statement>()

/** Tables in memory with the transactions of PostgreSQL at read committed, and a log of commits. */
export class SimulatedDatabase {
  readonly tables = new Map<string, Table>()
  readonly #random: Random
  readonly #now: () => number
  readonly #systemIdentifier: bigint
  #position = 1
  #lastId = 0n
  #transactions = 0
  readonly #active = new Set<Transaction>()
  /** When each position was committed. */
  readonly #committedAt: number[] = [0, 0]
  /** Called after each commit that has changed something. */
  onCommit: () => void = () => {}

  /** `now` is the clock of the server. */
  constructor(
    random: Random,
    now: () => number,
    migrations: readonly string[],
    systemIdentifier = 7n,
  ) {
    this.#random = random
    this.#systemIdentifier = systemIdentifier
    this.#now = now
    for (const [name, definition] of Object.entries(TABLES))
      this.tables.set(name, new Table(name, definition))
    const transaction = this.begin()
    for (const [index, name] of migrations.entries()) {
      const row = { id: BigInt(index + 1), name, executed_at: null }
      this.tables.get('migration')?.insert(row, transaction, false)
    }
    this.commit(transaction)
  }

  /** Adds pets that no client of the world has sent. */
  addForeignPets(count: number): void {
    const transaction = this.begin()
    for (let id = 1n; id <= count; id += 1n)
      this.tables
        .get('pet')
        ?.insert({ id, name: `foreign ${id}`, category_id: 1n, status: 'sold' }, transaction, false)
    this.commit(transaction)
  }

  /** The rows of a table that are committed. */
  committed(table: string): readonly Row[] {
    return this.tables.get(table)?.rows(this.#position, undefined) ?? []
  }

  begin(): Transaction {
    this.#transactions += 1
    const transaction = new Transaction(this.#transactions)
    this.#active.add(transaction)
    return transaction
  }

  commit(transaction: Transaction): void {
    if (transaction.state !== 'active') return
    const hasChanges = transaction.changes > 0
    if (hasChanges) {
      this.#position += 1
      this.#committedAt[this.#position] = performance.now()
    }
    this.#active.delete(transaction)
    transaction.end('committed', this.#position)
    if (hasChanges) this.onCommit()
  }

  rollback(transaction: Transaction): void {
    this.#active.delete(transaction)
    transaction.end('aborted', this.#position)
  }

  /** What is not committed is lost. */
  crash(): void {
    for (const transaction of [...this.#active]) this.rollback(transaction)
    this.#lastId += IDS_LOST_BY_A_CRASH
  }

  get isIdle(): boolean {
    return this.#active.size === 0
  }

  /** The number of commits that have changed something. */
  get position(): number {
    return this.#position
  }

  /** The server as its clients see it. `replay` is the last position that a replica may reach. */
  node(name: string, replay?: () => Replay): ScriptedDatabase {
    const replayed = replay && (() => this.#replayed(replay()))
    const state = this.#state(name, replayed)
    return {
      prepare: (sql) => this.#prepare(sql, state, replayed),
      begin: () => {
        const transaction = this.begin()
        return new OpenTransaction(this, transaction)
      },
    }
  }

  #replayed({ untilMs, position: last }: Replay): number {
    let position = Math.min(this.#position, last)
    while (position > 1 && (this.#committedAt[position] ?? 0) > untilMs) position -= 1
    return position
  }

  #state(databaseName: string, replayed?: () => number): ServerState {
    let last = 0
    return {
      databaseName,
      systemIdentifier: this.#systemIdentifier,
      now: this.#now,
      nextId: () => {
        this.#lastId += 1n
        return this.#lastId
      },
      lastId: () => (this.#lastId === 0n ? null : this.#lastId),
      moveIds: (id) => {
        this.#lastId = id
      },
      logPosition: () => this.#position,
      replayed: () => {
        if (replayed === undefined) return undefined
        last = Math.max(last, replayed())
        return last
      },
      hasTable: (name) => this.tables.has(name),
      random: () => this.#random.next(),
      set: () => {},
      anyOrder: (items) => (this.#random.next() < 0.5 ? items.toReversed() : items),
    }
  }

  #prepare(sql: string, state: ServerState, replayed?: () => number): ScriptedStatement {
    const statement = parsed.get(sql) ?? parseStatement(sql)
    parsed.set(sql, statement)
    const hasCatalogs = readsCatalogs(sql)
    const tablesNow = () =>
      hasCatalogs ? withCatalogs(this.tables, this.#active, state.databaseName) : this.tables
    const columns = describeStatement(statement, tablesNow()).map(({ name, type }) => {
      const id = TYPE_IDS[type]
      if (id === undefined) throw new Error(`The simulated server has no type ${type}.`)
      return { name, type: id }
    })
    const parameterCount = Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map(([, at]) => Number(at)))
    return {
      columns,
      parameterCount,
      run: async (values, open) => {
        const { transaction } = open as OpenTransaction
        const position = () => (replayed === undefined ? this.#position : (state.replayed() ?? 0))
        const set = (name: string, value: string) => {
          if (name === 'lock_timeout') transaction.lockTimeoutMs = Number.parseInt(value, 10)
        }
        const run = () =>
          execute(statement, {
            tables: tablesNow(),
            state: { ...state, set },
            transaction,
            position: position(),
            parameters: values,
          })
        const { rows, count } = await runWithLocks(transaction, run)
        const verb = statement.kind.toUpperCase()
        const tag = `${verb}${verb === 'INSERT' ? ' 0' : ''} ${count}`
        return { rows: rows.map((row) => row.map(textOf)), tag }
      },
    }
  }
}

/** A transaction as a session holds it. */
class OpenTransaction implements ScriptedTransaction {
  readonly #database: SimulatedDatabase
  readonly transaction: Transaction

  constructor(database: SimulatedDatabase, transaction: Transaction) {
    this.#database = database
    this.transaction = transaction
  }

  get hasChanges(): boolean {
    return this.transaction.changes > 0
  }

  commit(): void {
    this.#database.commit(this.transaction)
  }

  rollback(): void {
    this.#database.rollback(this.transaction)
  }
}
