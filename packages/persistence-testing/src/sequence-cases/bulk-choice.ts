import type { BulkAccess } from '@pet-store/persistence'
import type fc from 'fast-check'
import type { Model } from './model.ts'
import { type Choice, type Choices, callText, type Outcome } from './model-call.ts'

/** A call of bulk access. `use` may read back what the call itself does not return. */
export function bulkChoice<Values extends readonly unknown[]>(
  name: keyof BulkAccess,
  values: fc.Arbitrary<(model: Model) => Values>,
  use: (bulk: BulkAccess, ...given: Values) => Promise<unknown>,
  apply: (model: Model, values: Values, outcome: Outcome, text: string) => void,
): Choices {
  return values.map(
    (valuesOf): Choice =>
      (before, database) => {
        const given = valuesOf(before)
        const text = callText(`bulk.${name}`, ...given)
        return {
          text,
          run: () => database.useBulk((bulk) => use(bulk, ...given)),
          apply: (model, outcome) => apply(model, given, outcome, text),
        }
      },
  )
}
