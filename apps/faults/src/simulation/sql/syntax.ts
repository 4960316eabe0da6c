/** The parts of a statement, as `parse.ts` finds them. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | bigint | boolean | null }
  | { readonly kind: 'parameter'; readonly index: number }
  | { readonly kind: 'column'; readonly table: string | undefined; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly parameters: readonly Expression[] }
  | { readonly kind: 'cast'; readonly value: Expression; readonly type: string }
  | {
      readonly kind: 'binary'
      readonly operator: string
      readonly left: Expression
      readonly right: Expression
    }
  | { readonly kind: 'element'; readonly list: Expression; readonly index: Expression }
  | { readonly kind: 'not'; readonly value: Expression }
  | { readonly kind: 'is-null'; readonly value: Expression; readonly isNegated: boolean }
  | { readonly kind: 'tuple'; readonly items: readonly Expression[] }
  | {
      readonly kind: 'case'
      readonly branches: readonly { readonly when: Expression; readonly result: Expression }[]
      readonly otherwise: Expression
    }
  | { readonly kind: 'query'; readonly query: Select }

/** Where rows come from. `columns` are the names of a list of columns after the alias. */
export type Source =
  | { readonly kind: 'table'; readonly name: string; readonly alias: string }
  | { readonly kind: 'query'; readonly query: Select; readonly alias: string }
  | {
      readonly kind: 'function'
      readonly name: string
      readonly parameters: readonly Expression[]
      readonly isNumbered: boolean
      readonly alias: string
      readonly columns: readonly { readonly name: string; readonly type: string | undefined }[]
    }

export interface Join {
  readonly source: Source
  readonly isLeft: boolean
  readonly on: Expression | undefined
  /** The columns that are equal on both sides. */
  readonly using: readonly string[]
}

export interface Item {
  /** `all`: every column, of one table if its alias is the name. */
  readonly value: Expression | 'all'
  readonly name: string
}

export interface Select {
  readonly kind: 'select'
  readonly common: readonly CommonTable[]
  readonly items: readonly Item[]
  readonly from: readonly Join[]
  readonly where: Expression | undefined
  readonly groupBy: readonly Expression[]
  readonly orderBy: readonly { readonly value: Expression; readonly isDescending: boolean }[]
  readonly limit: Expression | undefined
  readonly offset: Expression | undefined
  /** A select whose rows follow, as `union all` adds them. */
  readonly union: Select | undefined
}

export interface Assignment {
  readonly column: string
  readonly value: Expression
}

export interface Insert {
  readonly kind: 'insert'
  readonly common: readonly CommonTable[]
  readonly table: string
  readonly alias: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Expression[])[] | Select
  /** The assignments if a row conflicts; none if that row is left as it is. */
  readonly onConflict: readonly Assignment[] | undefined
  readonly returning: readonly Item[]
}

export interface Update {
  readonly kind: 'update'
  readonly common: readonly CommonTable[]
  readonly table: string
  readonly alias: string
  readonly assignments: readonly Assignment[]
  readonly from: readonly Join[]
  readonly where: Expression | undefined
  readonly returning: readonly Item[]
}

export interface Delete {
  readonly kind: 'delete'
  readonly common: readonly CommonTable[]
  readonly table: string
  readonly alias: string
  readonly where: Expression | undefined
  readonly returning: readonly Item[]
}

export type Statement = Select | Insert | Update | Delete

export interface CommonTable {
  readonly name: string
  readonly statement: Statement
}
