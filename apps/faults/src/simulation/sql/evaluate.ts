import { FUNCTIONS, type ServerState } from './functions.ts'
import type { Expression, Select } from './syntax.ts'
import type { Row } from './tables.ts'
import { calculate, cast, compare, type Value } from './values.ts'

/** The rows under way, by alias. */
export type Rows = Readonly<Record<string, Row>>

/** Finds the values of expressions for one execution of a statement. */
export class Evaluation {
  readonly #state: ServerState
  readonly #parameters: readonly Value[]
  readonly #query: (query: Select) => readonly Row[]

  /** `query` runs a select inside of an expression. */
  constructor(
    state: ServerState,
    parameters: readonly Value[],
    query: (query: Select) => readonly Row[],
  ) {
    this.#state = state
    this.#parameters = parameters
    this.#query = query
  }

  value(value: Expression, rows: Rows): Value {
    switch (value.kind) {
      case 'literal':
        return value.value
      case 'parameter':
        return this.#parameters[value.index] ?? null
      case 'column':
        return columnOf(value, rows)
      case 'call': {
        const call = FUNCTIONS[value.name]
        if (call === undefined)
          throw new Error(`The simulated server has no function ${value.name}.`)
        const parameters = value.parameters.map((one) => this.value(one, rows))
        return call.run(this.#state, parameters)
      }
      case 'cast': {
        const inner = this.value(value.value, rows)
        const isLog = value.type === 'text' && isLogPosition(value.value)
        return isLog && inner !== null
          ? `0/${(inner as bigint).toString(16)}`
          : cast(inner, value.type)
      }
      case 'element': {
        const list = this.value(value.list, rows) as readonly Value[]
        return list[Number(this.value(value.index, rows)) - 1] ?? null
      }
      case 'binary':
        return this.#binary(value.operator, value.left, value.right, rows)
      case 'not': {
        const inner = this.value(value.value, rows)
        return inner === null ? null : inner !== true
      }
      case 'is-null':
        return (this.value(value.value, rows) === null) !== value.isNegated
      case 'tuple':
        return value.items.map((item) => this.value(item, rows))
      case 'case': {
        const branch = value.branches.find(({ when }) => this.value(when, rows) === true)
        return this.value(branch?.result ?? value.otherwise, rows)
      }
      case 'query': {
        const [row] = this.#query(value.query)
        return Object.values(row ?? {})[0] ?? null
      }
    }
  }

  #binary(operator: string, left: Expression, right: Expression, rows: Rows): Value {
    const one = this.value(left, rows)
    if (operator === 'and' && one === false) return false
    if (operator === 'or' && one === true) return true
    const other = this.value(right, rows)
    if (operator === 'and') return other === false ? false : unknownOr(true, one, other)
    if (operator === 'or') return other === true ? true : unknownOr(false, one, other)
    if (['||', '+', '-', '*', '/', '%'].includes(operator)) return calculate(operator, one, other)
    if (one === null || other === null) return null
    const order = compare(one, other)
    if (operator === '=') return order === 0
    if (operator === '<') return order < 0
    if (operator === '>') return order > 0
    if (operator === '<=') return order <= 0
    return operator === '>=' ? order >= 0 : order !== 0
  }
}

/** In SQL's logic a null is an unknown truth value. */
function unknownOr(known: boolean, one: Value, other: Value): Value {
  return one === null || other === null ? null : known
}

function columnOf({ table, name }: { table: string | undefined; name: string }, rows: Rows): Value {
  if (table !== undefined) return rows[table]?.[name] ?? null
  for (const row of Object.values(rows)) if (name in row) return row[name] ?? null
  throw new Error(`The simulated server has no column ${name} here.`)
}

function isLogPosition(value: Expression): boolean {
  return value.kind === 'call' && FUNCTIONS[value.name]?.type === 'pg_lsn'
}
