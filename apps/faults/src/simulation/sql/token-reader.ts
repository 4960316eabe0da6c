import { type Token, tokensOf } from './tokens.ts'

/** Reads the tokens of a statement one after the other. */
export class TokenReader {
  readonly #sql: string
  readonly #tokens: readonly Token[]
  #position = 0

  constructor(sql: string) {
    this.#sql = sql
    this.#tokens = tokensOf(sql)
  }

  /** The token that is next, of whatever kind. */
  get next(): Token | undefined {
    return this.#tokens[this.#position]
  }

  /** The next word or sign; `undefined` for anything else. */
  peek(ahead = 0): string | undefined {
    const token = this.#tokens[this.#position + ahead]
    return token?.kind === 'name' || token?.kind === 'sign' ? token.text : undefined
  }

  skip(count = 1): void {
    this.#position += count
  }

  /** Takes these words and signs if they are next. */
  takes(...words: readonly string[]): boolean {
    if (!words.every((word, index) => this.peek(index) === word)) return false
    this.skip(words.length)
    return true
  }

  expect(word: string): void {
    if (!this.takes(word)) throw this.unknown(word)
  }

  name(): string {
    const { next } = this
    if (next?.kind !== 'name' && next?.kind !== 'quoted') throw this.unknown()
    this.skip()
    return next.text
  }

  names(): readonly string[] {
    return this.parenthesised(() => this.list(() => this.name()))
  }

  /** Parts with commas between them. */
  list<Part>(part: () => Part): Part[] {
    const parts = [part()]
    while (this.takes(',')) parts.push(part())
    return parts
  }

  parenthesised<Part>(part: () => Part): Part {
    this.expect('(')
    const inside = part()
    this.expect(')')
    return inside
  }

  unknown(expected?: string): Error {
    const next = this.next?.text ?? 'the end'
    const hint = expected === undefined ? '' : `, where ${JSON.stringify(expected)} should be`
    return new Error(
      `The simulated server does not understand ${JSON.stringify(next)}${hint} in ${this.#sql}`,
    )
  }
}
