import type { Source } from './syntax.ts'
import type { Row } from './tables.ts'
import type { Value } from './values.ts'

/** One row for each position of the lists. */
export function unnested(
  { columns, isNumbered, name }: Extract<Source, { kind: 'function' }>,
  lists: readonly (readonly Value[])[],
): readonly Row[] {
  const length = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length }, (_, index) => {
    const values = [...lists.map((list) => list[index] ?? null), ...(isNumbered ? [index + 1] : [])]
    const names = columns.length > 0 ? columns.map((column) => column.name) : [name]
    return Object.fromEntries(names.map((column, at) => [column, values[at] ?? null]))
  })
}
