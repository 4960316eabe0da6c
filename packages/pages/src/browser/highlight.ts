import { make } from './elements.ts'

const KEYWORDS =
  'import|from|const|await|new|package|func|if|nil|defer|return|as|with|print|curl|true|false|null'

/** The parts of code that have a colour. */
const PARTS = new RegExp(
  [
    String.raw`(?<field>"(?:[^"\\]|\\.)*"(?=:))`,
    String.raw`(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|${'`[^`]*`'})`,
    String.raw`(?<number>(?<![\w.])-?\d[\w.]*)`,
    String.raw`(?<keyword>\b(?:${KEYWORDS})\b|(?<=\s)-[A-Za-z]\b)`,
  ].join('|'),
  'gs',
)

/** Shows code in an element, with colours. Its text is not changed. */
export function showCode(element: HTMLElement, code: string): void {
  const content: (Node | string)[] = []
  let end = 0
  for (const match of code.matchAll(PARTS)) {
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0]
    content.push(code.slice(end, match.index))
    content.push(make('span', { className: `code-${kind ?? ''}` }, match[0]))
    end = match.index + match[0].length
  }
  element.replaceChildren(...content, code.slice(end))
}
