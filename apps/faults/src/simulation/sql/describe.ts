import { AGGREGATES } from './aggregates.ts'
import { FUNCTIONS } from './functions.ts'
import type { CommonTable, Expression, Item, Join, Source, Statement } from './syntax.ts'
import type { Table } from './tables.ts'

interface Column {
  readonly name: string
  readonly type: string
}

type Tables = ReadonlyMap<string, Table>
type Columns = readonly Column[]
/** The columns of what a statement reads, by alias. */
type Scope = Readonly<Record<string, Columns>>

const TYPES: Readonly<Record<string, string>> = {
  bigint: 'int8',
  varchar: 'text',
  boolean: 'bool',
  integer: 'int4',
  int: 'int4',
}

/** The columns that a statement returns, which a server says before it runs it. */
export function describeStatement(
  statement: Statement,
  tables: Tables,
  outer: ReadonlyMap<string, Columns> = new Map(),
): Columns {
  const common = withCommon(statement.common, tables, outer)
  if (statement.kind === 'select') {
    const scope = scopeOf(statement.from, tables, common)
    return itemColumns(statement.items, scope, tables, common)
  }
  const scope = { [statement.alias]: tableColumns(statement.table, tables, common) }
  return itemColumns(statement.returning, scope, tables, common)
}

function withCommon(
  common: readonly CommonTable[],
  tables: Tables,
  outer: ReadonlyMap<string, Columns>,
): ReadonlyMap<string, Columns> {
  const all = new Map(outer)
  for (const { name, statement } of common) all.set(name, describeStatement(statement, tables, all))
  return all
}

function scopeOf(
  from: readonly Join[],
  tables: Tables,
  common: ReadonlyMap<string, Columns>,
): Scope {
  return Object.fromEntries(
    from.map(({ source }) => [source.alias, sourceColumns(source, tables, common)]),
  )
}

function sourceColumns(
  source: Source,
  tables: Tables,
  common: ReadonlyMap<string, Columns>,
): Columns {
  if (source.kind === 'table') return tableColumns(source.name, tables, common)
  if (source.kind === 'query') return describeStatement(source.query, tables, common)
  if (source.name === 'pg_control_system') return [{ name: 'system_identifier', type: 'int8' }]
  if (source.name === 'pg_control_checkpoint') return [{ name: 'timeline_id', type: 'int4' }]
  if (source.columns.length === 0) {
    const type = FUNCTIONS[source.name]?.type
    if (type !== undefined) return [{ name: source.alias, type }]
  }
  return source.columns.map(({ name, type }, index) => ({
    name,
    type: typeOf(source.parameters[index], {}, tables, common) ?? shortType(type ?? 'bigint'),
  }))
}

function tableColumns(name: string, tables: Tables, common: ReadonlyMap<string, Columns>): Columns {
  const known = common.get(name)
  if (known !== undefined) return known
  const table = tables.get(name)
  if (table === undefined) throw new Error(`The simulated server has no table ${name}.`)
  return Object.entries(table.definition.columns).map(([column, type]) => ({ name: column, type }))
}

function itemColumns(
  items: readonly Item[],
  scope: Scope,
  tables: Tables,
  common: ReadonlyMap<string, Columns>,
): Columns {
  return items.flatMap(({ value, name }): Columns => {
    if (value === 'all') return scope[name] ?? Object.values(scope).flat()
    return [{ name, type: typeOf(value, scope, tables, common) ?? 'text' }]
  })
}

function shortType(type: string): string {
  return TYPES[type] ?? type
}

/** `undefined` for a parameter that nothing gives a type. */
function typeOf(
  value: Expression | undefined,
  scope: Scope,
  tables: Tables,
  common: ReadonlyMap<string, Columns>,
): string | undefined {
  if (value === undefined) return undefined
  const typeIn = (inner: Expression | undefined) => typeOf(inner, scope, tables, common)
  switch (value.kind) {
    case 'literal':
      if (typeof value.value === 'bigint') return 'int4'
      return typeof value.value === 'boolean' ? 'bool' : 'text'
    case 'parameter':
      return undefined
    case 'column': {
      const columns = value.table === undefined ? Object.values(scope).flat() : scope[value.table]
      const column = columns?.find(({ name }) => name === value.name)
      if (column === undefined) throw new Error(`The simulated server has no column ${value.name}.`)
      return column.type
    }
    case 'call': {
      if (value.name === 'count') return 'int8'
      const known = FUNCTIONS[value.name]
      if (known === undefined && !AGGREGATES.has(value.name))
        throw new Error(`The simulated server has no function ${value.name}.`)
      return known?.type ?? typeIn(value.parameters.find((one) => typeIn(one) !== undefined))
    }
    case 'cast':
      return value.type.endsWith('[]') ? shortType(value.type.slice(0, -2)) : shortType(value.type)
    case 'element':
      return typeIn(value.list)
    case 'binary':
      if (value.operator === '||') return 'text'
      if (!['+', '-', '*', '/', '%'].includes(value.operator)) return 'bool'
      return [typeIn(value.left), typeIn(value.right)].includes('numeric') ? 'numeric' : 'int8'
    case 'case':
      return typeIn(value.branches[0]?.result)
    case 'query':
      return describeStatement(value.query, tables, common)[0]?.type
    default:
      return 'bool'
  }
}
