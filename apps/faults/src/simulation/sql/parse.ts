import { ExpressionParser, RESERVED } from './parse-expression.ts'
import type {
  Assignment,
  CommonTable,
  Expression,
  Insert,
  Item,
  Join,
  Select,
  Source,
  Statement,
} from './syntax.ts'
import { TokenReader } from './token-reader.ts'

/** Reads one statement. Throws for what is not understood, with its text. */
export function parseStatement(sql: string): Statement {
  return new Parser(sql).statement()
}

class Parser {
  readonly #reader: TokenReader
  readonly #expressions: ExpressionParser

  constructor(sql: string) {
    this.#reader = new TokenReader(sql)
    this.#expressions = new ExpressionParser(this.#reader, () => this.#select())
  }

  statement(): Statement {
    const statement = this.#statement()
    this.#reader.takes(';')
    if (this.#reader.next !== undefined) throw this.#reader.unknown()
    return statement
  }

  #statement(): Statement {
    const common = this.#reader.takes('with') ? this.#reader.list(() => this.#commonTable()) : []
    if (this.#reader.takes('insert')) return this.#insert(common)
    if (this.#reader.takes('update')) {
      const [table, alias] = this.#target()
      this.#reader.expect('set')
      const assignments = this.#reader.list(() => this.#assignment())
      const from = this.#reader.takes('from') ? this.#joins() : []
      const where = this.#reader.takes('where') ? this.#expressions.expression() : undefined
      const returning = this.#returning()
      return { kind: 'update', common, table, alias, assignments, from, where, returning }
    }
    if (this.#reader.takes('delete')) {
      this.#reader.expect('from')
      const [table, alias] = this.#target()
      const where = this.#reader.takes('where') ? this.#expressions.expression() : undefined
      return { kind: 'delete', common, table, alias, where, returning: this.#returning() }
    }
    return this.#select(common)
  }

  #commonTable(): CommonTable {
    const name = this.#reader.name()
    this.#reader.expect('as')
    this.#reader.takes('materialized')
    this.#reader.expect('(')
    const statement = this.#statement()
    this.#reader.expect(')')
    return { name, statement }
  }

  #select(common: readonly CommonTable[] = []): Select {
    this.#reader.expect('select')
    const items = this.#reader.list(() => this.#item())
    const from = this.#reader.takes('from') ? this.#joins() : []
    const where = this.#reader.takes('where') ? this.#expressions.expression() : undefined
    const groupBy = this.#reader.takes('group', 'by')
      ? this.#reader.list(() => this.#expressions.expression())
      : []
    const orderBy = this.#reader.takes('order', 'by') ? this.#reader.list(() => this.#order()) : []
    const limit = this.#reader.takes('limit') ? this.#expressions.expression() : undefined
    const offset = this.#reader.takes('offset') ? this.#expressions.expression() : undefined
    const union = this.#reader.takes('union', 'all') ? this.#select() : undefined
    return { kind: 'select', common, items, from, where, groupBy, orderBy, limit, offset, union }
  }

  #order() {
    const value = this.#expressions.expression()
    const isDescending = this.#reader.takes('desc')
    if (!isDescending) this.#reader.takes('asc')
    return { value, isDescending }
  }

  #insert(common: readonly CommonTable[]): Insert {
    this.#reader.expect('into')
    const [table, alias] = this.#target()
    const columns = this.#reader.names()
    const rows = this.#reader.takes('values')
      ? this.#reader.list(() =>
          this.#reader.parenthesised(() => this.#reader.list(() => this.#expressions.expression())),
        )
      : this.#select()
    const onConflict = this.#reader.takes('on', 'conflict') ? this.#onConflict() : undefined
    const returning = this.#returning()
    return { kind: 'insert', common, table, alias, columns, rows, onConflict, returning }
  }

  #onConflict(): readonly Assignment[] {
    if (this.#reader.peek() === '(') this.#reader.names()
    this.#reader.expect('do')
    if (this.#reader.takes('nothing')) return []
    this.#reader.expect('update')
    this.#reader.expect('set')
    return this.#reader.list(() => this.#assignment())
  }

  #assignment(): Assignment {
    const column = this.#reader.name()
    this.#reader.expect('=')
    return { column, value: this.#expressions.expression() }
  }

  #target(): [table: string, alias: string] {
    const table = this.#tableName()
    return [table, this.#alias() ?? table]
  }

  #returning(): readonly Item[] {
    return this.#reader.takes('returning') ? this.#reader.list(() => this.#item()) : []
  }

  #item(): Item {
    if (this.#reader.takes('*')) return { value: 'all', name: '*' }
    if (this.#reader.peek(1) === '.' && this.#reader.peek(2) === '*') {
      const name = this.#reader.name()
      this.#reader.skip(2)
      return { value: 'all', name }
    }
    const value = this.#expressions.expression()
    return { value, name: this.#alias() ?? nameOf(value) }
  }

  #joins(): readonly Join[] {
    const joins: Join[] = [{ source: this.#source(), isLeft: false, on: undefined, using: [] }]
    for (;;) {
      const isLeft = this.#reader.takes('left')
      if (isLeft) this.#reader.takes('outer')
      this.#reader.takes('inner')
      if (this.#reader.takes('join')) {
        const source = this.#source()
        const on = this.#reader.takes('on') ? this.#expressions.expression() : undefined
        const using = this.#reader.takes('using') ? this.#reader.names() : []
        joins.push({ source, isLeft, on, using })
      } else if (this.#reader.takes(',') || this.#reader.takes('cross', 'join')) {
        joins.push({ source: this.#source(), isLeft: false, on: undefined, using: [] })
      } else return joins
    }
  }

  #source(): Source {
    if (this.#reader.peek() === '(') {
      const query = this.#reader.parenthesised(() => this.#select())
      return { kind: 'query', query, alias: this.#alias() ?? '' }
    }
    const name = this.#tableName()
    if (this.#reader.peek() !== '(') return { kind: 'table', name, alias: this.#alias() ?? name }
    const parameters = this.#reader.parenthesised(() =>
      this.#reader.peek() === ')' ? [] : this.#reader.list(() => this.#expressions.expression()),
    )
    const isNumbered = this.#reader.takes('with', 'ordinality')
    const alias = this.#alias() ?? name
    const columns = this.#reader.peek() === '(' ? this.#columnDefinitions() : []
    return { kind: 'function', name, parameters, isNumbered, alias, columns }
  }

  #columnDefinitions() {
    return this.#reader.parenthesised(() =>
      this.#reader.list(() => {
        const name = this.#reader.name()
        const isTyped = this.#reader.peek() !== ',' && this.#reader.peek() !== ')'
        return { name, type: isTyped ? this.#reader.name() : undefined }
      }),
    )
  }

  #alias(): string | undefined {
    if (this.#reader.takes('as')) return this.#reader.name()
    const token = this.#reader.next
    const isAlias =
      token?.kind === 'quoted' || (token?.kind === 'name' && !RESERVED.has(token.text))
    return isAlias ? this.#reader.name() : undefined
  }

  /** Without its schema. */
  #tableName(): string {
    const name = this.#reader.name()
    return this.#reader.takes('.') ? this.#reader.name() : name
  }
}

function nameOf(value: Expression): string {
  if (value.kind === 'column' || value.kind === 'call') return value.name
  return value.kind === 'cast' ? nameOf(value.value) : '?column?'
}
