import type { SqlValue } from './statement-runner.ts'

/** What a query builder makes; its own type names more than is needed here. */
interface Query {
  compile(): { readonly sql: string; readonly parameters: readonly unknown[] }
}

/** Compiles a query whose values are stand-ins, listed again in the order that the placeholders must have. */
export function compileStatement(
  name: string,
  query: Query,
  values: readonly SqlValue[],
): { name: string; sql: string } {
  const { sql, parameters } = query.compile()
  // An ORM that orders or inlines values differently must not go unnoticed: values would be stored in wrong columns.
  if (parameters.length !== values.length || values.some((value, index) => parameters[index] !== value)) {
    throw new Error(`The ORM compiled ${name} with other values than expected: ${sql}`)
  }
  return { name, sql }
}
