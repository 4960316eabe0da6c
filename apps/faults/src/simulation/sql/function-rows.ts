import { FUNCTIONS, type ServerState, TIMELINE } from './functions.ts'
import type { Source } from './syntax.ts'
import type { Row } from './tables.ts'
import type { Value } from './values.ts'

type FunctionSource = Extract<Source, { kind: 'function' }>

/** The rows of a function that a statement reads as if it were a table. */
export function rowsOfFunction(
  source: FunctionSource,
  parameters: readonly Value[],
  state: ServerState,
): readonly Row[] {
  if (source.name === 'unnest') return unnested(source, parameters as readonly (readonly Value[])[])
  if (source.name === 'pg_control_system') return [{ system_identifier: state.systemIdentifier }]
  if (source.name === 'pg_control_checkpoint') return [{ timeline_id: BigInt(TIMELINE) }]
  const scalar = FUNCTIONS[source.name]
  if (scalar === undefined) throw new Error(`The simulated server has no function ${source.name}.`)
  return [{ [source.alias]: scalar.run(state, parameters) }]
}

/** One row for each position of the lists. */
function unnested(
  { columns, isNumbered, name }: FunctionSource,
  lists: readonly (readonly Value[])[],
): readonly Row[] {
  const length = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length }, (_, index) => {
    const values = [...lists.map((list) => list[index] ?? null), ...(isNumbered ? [index + 1] : [])]
    const names = columns.length > 0 ? columns.map((column) => column.name) : [name]
    return Object.fromEntries(names.map((column, at) => [column, values[at] ?? null]))
  })
}
