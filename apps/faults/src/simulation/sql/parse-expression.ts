import type { Expression, Select } from './syntax.ts'
import type { TokenReader } from './token-reader.ts'

/** Operators from the weakest to the strongest. */
const OPERATORS: readonly (readonly string[])[] = [
  ['=', '<>', '!=', '<', '>', '<=', '>='],
  ['||', '+', '-'],
  ['*', '/', '%'],
]

/** Words that end an expression, so that none of them is an alias. */
export const RESERVED = new Set(
  (
    'from where group order limit offset on returning set values select as left inner cross join ' +
    'with and or not is in between case when then else end union for conflict do using asc desc'
  ).split(' '),
)

/** Reads expressions: conditions, calculations, calls, casts, elements of lists. */
export class ExpressionParser {
  readonly #reader: TokenReader
  readonly #query: () => Select

  /** `query` reads a select inside of an expression. */
  constructor(reader: TokenReader, query: () => Select) {
    this.#reader = reader
    this.#query = query
  }

  expression(): Expression {
    let left = this.#conjunction()
    while (this.#reader.takes('or'))
      left = { kind: 'binary', operator: 'or', left, right: this.#conjunction() }
    return left
  }

  #conjunction(): Expression {
    let left = this.#negation()
    while (this.#reader.takes('and'))
      left = { kind: 'binary', operator: 'and', left, right: this.#negation() }
    return left
  }

  #negation(): Expression {
    if (this.#reader.takes('not')) return { kind: 'not', value: this.#negation() }
    return this.#predicate()
  }

  #predicate(): Expression {
    const value = this.#operation(0)
    if (this.#reader.takes('is', 'not', 'null')) return { kind: 'is-null', value, isNegated: true }
    if (this.#reader.takes('is', 'null')) return { kind: 'is-null', value, isNegated: false }
    if (this.#reader.takes('between')) {
      const low = this.#operation(1)
      this.#reader.expect('and')
      const high = this.#operation(1)
      const isAbove: Expression = { kind: 'binary', operator: '>=', left: value, right: low }
      const isBelow: Expression = { kind: 'binary', operator: '<=', left: value, right: high }
      return { kind: 'binary', operator: 'and', left: isAbove, right: isBelow }
    }
    const isNotIn = this.#reader.takes('not', 'in')
    if (!isNotIn && !this.#reader.takes('in')) return value
    const items = this.#reader.parenthesised(() => this.#reader.list(() => this.expression()))
    const isIn = items
      .map((right): Expression => ({ kind: 'binary', operator: '=', left: value, right }))
      .reduce((left, right) => ({ kind: 'binary', operator: 'or', left, right }))
    return isNotIn ? { kind: 'not', value: isIn } : isIn
  }

  #operation(level: number): Expression {
    const operators = OPERATORS[level]
    if (operators === undefined) return this.#casted()
    let left = this.#operation(level + 1)
    for (;;) {
      const operator = operators.find((sign) => this.#reader.takes(sign))
      if (operator === undefined) return left
      left = { kind: 'binary', operator, left, right: this.#operation(level + 1) }
    }
  }

  #casted(): Expression {
    let value = this.#primary()
    for (;;) {
      if (this.#reader.takes('::')) value = { kind: 'cast', value, type: this.#type() }
      else if (this.#reader.takes('[')) {
        value = { kind: 'element', list: value, index: this.expression() }
        this.#reader.expect(']')
      } else return value
    }
  }

  #type(): string {
    const name = this.#reader.name()
    if (!this.#reader.takes('[')) return name
    this.#reader.expect(']')
    return `${name}[]`
  }

  #primary(): Expression {
    const token = this.#reader.next
    if (token === undefined) throw this.#reader.unknown()
    if (this.#reader.takes('(')) {
      if (this.#reader.peek() === 'select') {
        const query = this.#query()
        this.#reader.expect(')')
        return { kind: 'query', query }
      }
      const items = this.#reader.list(() => this.expression())
      this.#reader.expect(')')
      const [only] = items
      return items.length === 1 && only !== undefined ? only : { kind: 'tuple', items }
    }
    if (this.#reader.takes('-')) {
      const zero: Expression = { kind: 'literal', value: 0n }
      return { kind: 'binary', operator: '-', left: zero, right: this.#casted() }
    }
    if (this.#reader.takes('case')) return this.#case()
    this.#reader.skip()
    if (token.kind === 'number') return { kind: 'literal', value: BigInt(token.text) }
    if (token.kind === 'text') return { kind: 'literal', value: token.text }
    if (token.kind === 'parameter')
      return { kind: 'parameter', index: Number(token.text.slice(1)) - 1 }
    if (token.kind === 'name' && RESERVED.has(token.text)) throw this.#reader.unknown()
    if (token.kind === 'name' && this.#reader.peek() === '(') return this.#call(token.text)
    if (token.kind === 'name' && (token.text === 'true' || token.text === 'false'))
      return { kind: 'literal', value: token.text === 'true' }
    if (token.kind === 'name' && token.text === 'null') return { kind: 'literal', value: null }
    if (token.kind !== 'name' && token.kind !== 'quoted') throw this.#reader.unknown()
    if (!this.#reader.takes('.')) return { kind: 'column', table: undefined, name: token.text }
    const name = this.#reader.name()
    if (this.#reader.peek() === '(') return this.#call(name)
    return { kind: 'column', table: token.text, name }
  }

  #call(name: string): Expression {
    return this.#reader.parenthesised((): Expression => {
      if (this.#reader.takes('*')) return { kind: 'call', name, parameters: [] }
      if (this.#reader.peek() === ')') return { kind: 'call', name, parameters: [] }
      if (name === 'extract') {
        this.#reader.expect('epoch')
        this.#reader.expect('from')
        return { kind: 'call', name: 'epoch', parameters: [this.expression()] }
      }
      this.#reader.takes('distinct')
      if (this.#reader.peek() === 'select')
        return { kind: 'call', name, parameters: [{ kind: 'query', query: this.#query() }] }
      return { kind: 'call', name, parameters: this.#reader.list(() => this.expression()) }
    })
  }

  #case(): Expression {
    const branches: { when: Expression; result: Expression }[] = []
    while (this.#reader.takes('when')) {
      const when = this.expression()
      this.#reader.expect('then')
      branches.push({ when, result: this.expression() })
    }
    const otherwise: Expression = this.#reader.takes('else')
      ? this.expression()
      : { kind: 'literal', value: null }
    this.#reader.expect('end')
    return { kind: 'case', branches, otherwise }
  }
}
