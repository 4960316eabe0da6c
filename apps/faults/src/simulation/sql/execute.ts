import { isAggregate } from './aggregates.ts'
import { describeStatement } from './describe.ts'
import { Evaluation, type Rows } from './evaluate.ts'
import { rowsOfFunction } from './function-rows.ts'
import type { ServerState } from './functions.ts'
import type {
  Assignment,
  CommonTable,
  Delete,
  Expression,
  Insert,
  Item,
  Join,
  Select,
  Source,
  Statement,
  Update,
} from './syntax.ts'
import type { Row, Table, Transaction } from './tables.ts'
import { compare, StatementError, toInteger, type Value } from './values.ts'

export interface Result {
  readonly rows: readonly (readonly Value[])[]
  /** How many rows it returned, or changed. */
  readonly count: number
}

export interface ExecutionContext {
  readonly tables: ReadonlyMap<string, Table>
  readonly state: ServerState
  readonly transaction: Transaction
  /** The position of the log whose commits it sees. */
  readonly position: number
  readonly parameters: readonly Value[]
}

type Common = ReadonlyMap<string, readonly Row[]>

/** Runs one statement. Throws `WaitsFor`, or what the server rejects it with. */
export function execute(statement: Statement, context: ExecutionContext): Result {
  const columns = describeStatement(statement, context.tables)
  const { rows, changes } = new Execution(context).run(numbered(statement), new Map())
  // Two columns may have one name.
  const isNumbered = rows[0] !== undefined && '0' in rows[0]
  const values = rows.map((row) =>
    columns.map(({ name }, index) => row[isNumbered ? String(index) : name] ?? null),
  )
  return { rows: columns.length === 0 ? [] : values, count: changes }
}

/** The same statement, whose items are named by their positions. */
function numbered(statement: Statement): Statement {
  const items = statement.kind === 'select' ? statement.items : statement.returning
  if (items.some(({ value }) => value === 'all')) return statement
  const renamed = items.map((item, index) => ({ ...item, name: String(index) }))
  if (statement.kind !== 'select') return { ...statement, returning: renamed }
  const union = statement.union && (numbered(statement.union) as Select)
  return { ...statement, items: renamed, union }
}

class Execution {
  readonly #context: ExecutionContext
  readonly #evaluation: Evaluation

  constructor(context: ExecutionContext) {
    this.#context = context
    this.#evaluation = new Evaluation(
      context.state,
      context.parameters,
      (query) => this.run(query, new Map()).rows,
    )
  }

  run(
    statement: Statement,
    outer: Common,
  ): { readonly rows: readonly Row[]; readonly changes: number } {
    const common = this.#withCommon(statement.common, outer)
    switch (statement.kind) {
      case 'select': {
        const { union } = statement
        const others = union === undefined ? [] : this.run(union, common).rows
        const rows = [...this.#select(statement, common), ...others]
        return { rows, changes: rows.length }
      }
      case 'insert':
        return this.#returning(statement, this.#insert(statement, common))
      case 'update':
        return this.#returning(statement, this.#update(statement, common))
      case 'delete':
        return this.#returning(statement, this.#delete(statement))
    }
  }

  #withCommon(tables: readonly CommonTable[], outer: Common): Common {
    const common = new Map(outer)
    for (const { name, statement } of tables) common.set(name, this.run(statement, common).rows)
    return common
  }

  #returning(
    { alias, table, returning }: Insert | Update | Delete,
    changed: readonly Row[],
  ): { readonly rows: readonly Row[]; readonly changes: number } {
    const rows = changed.map((row) => this.#items(returning, { [alias]: row, [table]: row }))
    // No caller may rely on the order of what a statement returns.
    return { rows: this.#context.state.anyOrder(rows), changes: changed.length }
  }

  #select(select: Select, common: Common): readonly Row[] {
    const { items, where, groupBy, orderBy, limit, offset } = select
    const found = this.#joined(select.from, common).filter(
      (rows) => where === undefined || this.#evaluation.value(where, rows) === true,
    )
    if (groupBy.length > 0 || items.some(({ value }) => isAggregate(value)))
      return this.#grouped(select, found)
    const unordered = orderBy.length === 0 ? this.#context.state.anyOrder(found) : found
    const ordered = unordered.toSorted((one, other) => {
      for (const { value, isDescending } of orderBy) {
        const order = compare(
          this.#evaluation.value(value, one),
          this.#evaluation.value(value, other),
        )
        if (order !== 0) return isDescending ? -order : order
      }
      return 0
    })
    const start = offset === undefined ? 0 : Number(this.#evaluation.value(offset, {}))
    const end =
      limit === undefined ? ordered.length : start + Number(this.#evaluation.value(limit, {}))
    return ordered.slice(start, end).map((rows) => this.#items(items, rows))
  }

  #grouped({ items, groupBy }: Select, found: readonly Rows[]): readonly Row[] {
    const groups = new Map<string, Rows[]>()
    for (const rows of found) {
      const key = groupBy.map((value) => String(this.#evaluation.value(value, rows))).join('\0')
      groups.set(key, [...(groups.get(key) ?? []), rows])
    }
    if (groupBy.length === 0 && groups.size === 0) groups.set('', [])
    return [...groups.values()].map((group) =>
      Object.fromEntries(
        items.map(({ value, name }) => [
          name,
          isAggregate(value)
            ? this.#aggregate(value.name, value.parameters[0], group)
            : this.#evaluation.value(value as Expression, group[0] ?? {}),
        ]),
      ),
    )
  }

  #aggregate(name: string, of: Expression | undefined, group: readonly Rows[]): Value {
    if (name === 'count' || of === undefined) return BigInt(group.length)
    const values = group.map((rows) => this.#evaluation.value(of, rows)).toSorted(compare)
    return (name === 'max' ? values.at(-1) : values[0]) ?? null
  }

  #joined(joins: readonly Join[], common: Common): readonly Rows[] {
    let all: readonly Rows[] = [{}]
    for (const { source, isLeft, on, using } of joins) {
      const right = this.#source(source, common)
      all = all.flatMap((rows) => {
        const matches = right
          .map((row): Rows => ({ ...rows, [source.alias]: row }))
          .filter((both) => on === undefined || this.#evaluation.value(on, both) === true)
          .filter((both) => using.every((name) => areEqual(name, rows, both[source.alias])))
        return matches.length > 0 || !isLeft ? matches : [{ ...rows, [source.alias]: {} }]
      })
    }
    return all
  }

  #source(source: Source, common: Common): readonly Row[] {
    if (source.kind === 'query') return this.run(source.query, common).rows
    if (source.kind === 'table') {
      const known = common.get(source.name)
      if (known !== undefined) return known
      return this.#table(source.name).rows(this.#context.position, this.#context.transaction)
    }
    const parameters = source.parameters.map((value) => this.#evaluation.value(value, {}))
    return rowsOfFunction(source, parameters, this.#context.state)
  }

  #insert({ table: name, alias, columns, rows, onConflict }: Insert, common: Common): Row[] {
    const { state, transaction } = this.#context
    if (state.replayed() !== undefined)
      throw new StatementError('25006', 'cannot execute INSERT in a read-only transaction')
    const table = this.#table(name)
    transaction.written.add(name)
    const added: Row[] = []
    for (const values of this.#rowsToInsert(rows, common)) {
      const given = Object.fromEntries(columns.map((column, index) => [column, values[index]]))
      const row = this.#stored(table, given as Row)
      const conflict = onConflict && table.conflicting(row, transaction)
      if (conflict === undefined) {
        const stored = table.insert(row, transaction, onConflict !== undefined)
        if (stored !== undefined) added.push(stored)
      } else if (onConflict !== undefined && onConflict.length > 0) {
        const scope = { [alias]: conflict, [name]: conflict, excluded: row }
        added.push(this.#replace(table, conflict, onConflict, scope))
      }
    }
    return added
  }

  #rowsToInsert(rows: Insert['rows'], common: Common): readonly (readonly Value[])[] {
    if (!('kind' in rows))
      return rows.map((row) => row.map((value) => this.#evaluation.value(value, {})))
    const inOrder = this.#select(numbered(rows) as Select, common)
    return inOrder.map((row) => rows.items.map((_, index) => row[String(index)] ?? null))
  }

  /** A row with its defaults, each value of the type of its column. */
  #stored({ definition, name }: Table, given: Row): Row {
    const row: Record<string, Value> = {}
    for (const [column, type] of Object.entries(definition.columns)) {
      const value = given[column]
      if (value === undefined && column === 'id' && name === 'pet')
        row[column] = this.#context.state.nextId()
      else if (value == null) row[column] = null
      else row[column] = type === 'int8' ? toInteger(value) : value
    }
    for (const column of Object.keys(given)) {
      if (!(column in definition.columns))
        throw new Error(`The simulated server has no column ${column} in ${name}.`)
    }
    return row
  }

  #replace(table: Table, row: Row, assignments: readonly Assignment[], scope: Rows): Row {
    const changes = assignments.map(({ column, value }) => [
      column,
      this.#evaluation.value(value, scope),
    ])
    const changed = this.#stored(table, { ...row, ...Object.fromEntries(changes) })
    table.replace(row, changed, this.#context.transaction)
    return changed
  }

  #update({ table: name, alias, assignments, from, where }: Update, common: Common): Row[] {
    const table = this.#table(name)
    const others = this.#joined(from, common)
    const changed: Row[] = []
    for (const row of table.rows(this.#context.position, this.#context.transaction)) {
      const scopes = others.map((rows): Rows => ({ ...rows, [alias]: row, [name]: row }))
      const scope = scopes.find(
        (one) => where === undefined || this.#evaluation.value(where, one) === true,
      )
      if (scope !== undefined) changed.push(this.#replace(table, row, assignments, scope))
    }
    return changed
  }

  #delete({ table: name, alias, where }: Delete): Row[] {
    const table = this.#table(name)
    const { position, transaction } = this.#context
    return table
      .rows(position, transaction)
      .filter(
        (row) => where === undefined || this.#evaluation.value(where, { [alias]: row }) === true,
      )
      .filter((row) => table.delete(row, transaction))
  }

  #items(items: readonly Item[], rows: Rows): Row {
    const result: Record<string, Value> = {}
    for (const { value, name } of items) {
      if (value === 'all')
        Object.assign(result, ...(rows[name] ? [rows[name]] : Object.values(rows)))
      else result[name] = this.#evaluation.value(value, rows)
    }
    return result
  }

  #table(name: string): Table {
    const table = this.#context.tables.get(name)
    if (table === undefined) throw new Error(`The simulated server has no table ${name}.`)
    return table
  }
}

/** Whether a column has one value on both sides of a join. */
function areEqual(name: string, left: Rows, right: Row | undefined): boolean {
  const row = Object.values(left).find((one) => name in one)
  return row !== undefined && row[name] === right?.[name]
}
