import type BetterSqlite3 from 'better-sqlite3'

export type Database = BetterSqlite3.Database
type Driver = typeof BetterSqlite3

/** What is about to be done with a database. */
export type SqliteAction = 'begin' | 'commit' | 'read' | 'write'

/** The error that it fails with. */
export interface SqliteFault {
  readonly code: string
  /** Whether the transaction is over, as after a full disk: rolled back, or still committed. */
  readonly ends: 'nothing' | 'by rollback' | 'by commit'
}

/** Decides what goes wrong, and learns which databases are open. */
export interface SqliteWorld {
  at(action: SqliteAction, values: readonly unknown[]): SqliteFault | undefined
  onOpen(database: Database): void
  /** Before it is closed. */
  onClose(database: Database): void
}

let world: SqliteWorld = { at: () => undefined, onOpen() {}, onClose() {} }

/** Sets the world of all databases that are opened from now on. */
export function setSqliteWorld(to: SqliteWorld): void {
  world = to
}

const CALLS = new Set<string | symbol>(['run', 'get', 'all'])
const CHAINED = new Set<string | symbol>(['safeIntegers', 'raw', 'pluck', 'expand', 'bind'])

/** The driver itself, with errors before its calls. */
export function simulatedSqlite(module: { readonly default: Driver }): { default: Driver } {
  const Real = module.default

  class SimulatedSqlite extends Real {
    constructor(path?: string | Buffer, options?: BetterSqlite3.Options) {
      super(path, options)
      world.onOpen(this)
    }

    override exec(sql: string): this {
      const action = actionOf(sql)
      if (action === undefined) return super.exec(sql)
      const fault = world.at(action, [])
      if (fault?.ends === 'by commit' && action === 'commit') super.exec(sql)
      if (fault !== undefined) this.fail(fault)
      return super.exec(sql)
    }

    override prepare(sql: string): never {
      return this.#withFaults(super.prepare(sql), sql) as never
    }

    override close(): this {
      world.onClose(this)
      return super.close()
    }

    fail({ code, ends }: SqliteFault): never {
      if (ends === 'by rollback' && this.inTransaction) super.exec('rollback')
      throw new Real.SqliteError('simulated', code)
    }

    #withFaults(statement: object, sql: string): object {
      const action = /^\s*(?:select|with)\b/i.test(sql) ? 'read' : 'write'
      const isControl = actionOf(sql) !== undefined || /^\s*(?:begin|pragma)/i.test(sql)
      const wrapped: object = new Proxy(statement, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name, target)
          if (typeof value !== 'function') return value
          return (...values: unknown[]) => {
            const fault = CALLS.has(name) && !isControl ? world.at(action, values) : undefined
            if (fault !== undefined) this.fail(fault)
            const result: unknown = value.apply(target, values)
            return CHAINED.has(name) ? wrapped : result
          }
        },
      })
      return wrapped
    }
  }

  return { ...module, default: SimulatedSqlite as unknown as Driver }
}

function actionOf(sql: string): 'begin' | 'commit' | undefined {
  if (/^\s*begin immediate\b/i.test(sql)) return 'begin'
  return /^\s*commit\b/i.test(sql) ? 'commit' : undefined
}
