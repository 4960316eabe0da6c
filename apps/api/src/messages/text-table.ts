/** Formats rows as a table with aligned columns. The first row is the heading. */
export function textTable(rows: readonly (readonly string[])[]): string {
  // Counted in code points, which is close enough to terminal columns for names and dates.
  const width = (cell = '') => [...cell].length
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, width(row[column])), 0),
  )
  return rows
    .map((row) =>
      row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell))).join('  '),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}
