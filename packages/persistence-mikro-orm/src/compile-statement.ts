import type { SqlValue } from './statement-runner.ts'

/** What a query builder gives; its own type names more than is needed here. */
interface Query {
  compile(): { readonly sql: string; readonly parameters: readonly unknown[] }
}

/** Compiles a query whose values are stand-ins, given again in the order in which its placeholders must come. */
export function compileStatement(
  name: string,
  query: Query,
  values: readonly SqlValue[],
): { name: string; sql: string } {
  const { sql, parameters } = query.compile()
  // A newer ORM that orders or inlines values otherwise must not go unnoticed: values would land in wrong columns.
  if (parameters.length !== values.length || values.some((value, index) => parameters[index] !== value)) {
    throw new Error(`The ORM compiled ${name} with other values than expected: ${sql}`)
  }
  return { name, sql }
}
