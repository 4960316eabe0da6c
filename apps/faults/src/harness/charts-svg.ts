const WIDTH = 720
const HEIGHT = 110
const LEFT = 60
const TOP = 40

/** A value over time. */
export interface Chart {
  readonly title: string
  readonly values: readonly number[]
}

/** Charts below each other over the same time, each from 0 to its greatest value. */
export function chartsSvg(caption: string, charts: readonly Chart[]): string {
  const height = TOP + charts.length * HEIGHT
  const parts = charts.map(({ title, values }, index) => {
    const greatest = Math.max(...values, 1)
    const top = TOP + index * HEIGHT + 20
    const bottom = top + HEIGHT - 40
    const points = values.map((value, at) => {
      const x = LEFT + (at / Math.max(values.length - 1, 1)) * (WIDTH - LEFT - 10)
      return `${x.toFixed(1)},${(bottom - (value / greatest) * (bottom - top)).toFixed(1)}`
    })
    return [
      `<text x="${LEFT}" y="${top - 6}">${title}</text>`,
      `<text x="${LEFT - 6}" y="${top + 5}" text-anchor="end">${Number(greatest.toPrecision(3))}</text>`,
      `<text x="${LEFT - 6}" y="${bottom}" text-anchor="end">0</text>`,
      `<path d="M${LEFT} ${top}V${bottom}H${WIDTH - 10}" stroke="#888" fill="none"/>`,
      `<polyline points="${points.join(' ')}" stroke="#1f6feb" stroke-width="1.5" fill="none"/>`,
    ].join('\n')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" fill="#666">
<title>${caption}</title>
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
<text x="${LEFT}" y="20" font-size="14">${caption}</text>
${parts.join('\n')}
</svg>
`
}
