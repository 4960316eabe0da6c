export const COLOURS = { service: '#c2410c', ceiling: '#57534e', peer: '#93c5fd' } as const
const [INK, FAINT] = ['#1c1917', '#d6d3d1']
const TOP = 40

/** A picture of panels of equal size, two in a row. */
export function panelsSvg(title: string, width: number, height: number, panels: readonly string[][]): string {
  const [pageWidth, pageHeight] = [width * 2, TOP + Math.ceil(panels.length / 2) * height + 10]
  const placed = panels.map((lines, index) => {
    const [x, y] = [(index % 2) * width, TOP + Math.floor(index / 2) * height]
    return `<g transform="translate(${x} ${y})">\n${lines.join('\n')}\n</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${pageWidth} ${pageHeight}" width="${pageWidth}" height="${pageHeight}" font-family="system-ui, sans-serif" font-size="12" role="img">
<title>${escaped(title)}</title>
<rect width="${pageWidth}" height="${pageHeight}" fill="#ffffff"/>
${text(12, 26, title, 'font-size="16" font-weight="600"')}
${placed.join('\n')}
</svg>
`
}

export function text(x: number, y: number, words: string, attributes = ''): string {
  return `<text x="${x}" y="${y}" fill="${INK}" ${attributes}>${escaped(words)}</text>`
}

export function line(x1: number, y1: number, x2: number, y2: number, isFaint = false): string {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${isFaint ? FAINT : INK}"/>`
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
