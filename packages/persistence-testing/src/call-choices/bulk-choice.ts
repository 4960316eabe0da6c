import type { BulkAccess } from '@pet-store/persistence'
import type fc from 'fast-check'
import type { Model } from '../model/model.ts'
import { type Choice, type Choices, callText, NO_CALL, type Outcome } from '../model/model-call.ts'

/**
 * A call of bulk access. `use` may read back what the call itself does not return. A write resolves
 * with `done`, if its outcome may be unknown.
 */
export function bulkChoice<Values extends readonly unknown[]>(
  name: keyof BulkAccess,
  values: fc.Arbitrary<(model: Model) => Values>,
  use: (bulk: BulkAccess, ...given: Values) => Promise<unknown>,
  apply: (model: Model, values: Values, outcome: Outcome, text: string) => void,
  done?: { readonly value: unknown },
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
          mayRejectWithAnyError: true,
          ...(done && { unknownOutcomes: () => [done] }),
        }
      },
  )
}

/** A call where the adapter has bulk access that several openings may use. */
export const ifBulkBeside =
  (call: Choice): Choice =>
  (model, database) =>
    database.hasBulkBeside ? call(model, database) : NO_CALL
