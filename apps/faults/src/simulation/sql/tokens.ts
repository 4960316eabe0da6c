/** A part of the text of a statement. Names and key words are in lower case. */
export interface Token {
  readonly kind: 'name' | 'quoted' | 'text' | 'number' | 'parameter' | 'sign'
  readonly text: string
}

/** What a token of each kind looks like. */
const PATTERNS: Readonly<Record<Token['kind'], RegExp>> = {
  quoted: /"(?:[^"]|"")*"/,
  text: /'(?:[^']|'')*'/,
  parameter: /\$\d+/,
  number: /\d+(?:\.\d+)?/,
  name: /[a-z_]\w*/,
  sign: /::|\|\||<=|>=|<>|!=|[-+*/%(),.<>=;[\]]/,
}

const KINDS = Object.keys(PATTERNS) as readonly Token['kind'][]

const ALTERNATIVES = KINDS.map((kind) => `(?<${kind}>${PATTERNS[kind].source})`)
const TOKEN = new RegExp(`\\s*(?:${ALTERNATIVES.join('|')})`, 'iy')

/** Splits a statement into its parts. Throws for a text that is not SQL. */
export function tokensOf(sql: string): readonly Token[] {
  const tokens: Token[] = []
  const text = sql.trim()
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const start = TOKEN.lastIndex
    const groups = TOKEN.exec(text)?.groups
    const kind = KINDS.find((name) => groups?.[name] !== undefined)
    if (groups === undefined || kind === undefined)
      throw new Error(`The simulated server cannot read ${JSON.stringify(text.slice(start))}`)
    tokens.push({ kind, text: contentOf(kind, groups[kind] as string) })
  }
  return tokens
}

function contentOf(kind: Token['kind'], text: string): string {
  if (kind === 'quoted') return text.slice(1, -1).replaceAll('""', '"')
  if (kind === 'text') return text.slice(1, -1).replaceAll("''", "'")
  return kind === 'name' ? text.toLowerCase() : text
}
