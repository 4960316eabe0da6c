import type { BulkAccess } from '@pet-store/persistence'
import type fc from 'fast-check'
import type { Model } from '../model/model.ts'
import { type Choice, type Choices, callText, NO_CALL, type Outcome } from '../model/model-call.ts'

/** What a function of bulk access does. */
export interface BulkFunction<Values extends readonly unknown[]> {
  readonly name: keyof BulkAccess
  /** Calls it; this may read back what the call itself does not return. */
  readonly use: (bulk: BulkAccess, ...given: Values) => Promise<unknown>
  readonly apply: (
    model: Model,
    values: readonly [...Values],
    outcome: Outcome,
    text: string,
  ) => void
  /** What a write resolves with, if its outcome may be unknown. */
  readonly done?: { readonly value: unknown }
}

/** A call of a function of bulk access. */
export function bulkCall<Values extends readonly unknown[]>(
  { name, use, apply, done }: BulkFunction<Values>,
  valuesOf: (model: Model) => readonly [...Values],
): Choice {
  return (before, database) => {
    const given = valuesOf(before)
    const text = callText(`bulk.${name}`, ...given)
    return {
      text,
      run: () => database.useBulk((bulk) => use(bulk, ...given)),
      apply: (model, outcome) => apply(model, given, outcome, text),
      mayRejectWithAnyError: true,
      ...(done && { unknownOutcomes: () => [done] }),
    }
  }
}

/** Calls of a function of bulk access. */
export function bulkCalls<Values extends readonly unknown[]>(
  called: BulkFunction<Values>,
  values: fc.Arbitrary<(model: Model) => Values>,
): Choices {
  return values.map((valuesOf) => bulkCall(called, valuesOf))
}

/** A call where the adapter has bulk access that several openings may use. */
export const ifBulkBeside =
  (call: Choice): Choice =>
  (model, database) =>
    database.hasBulkBeside ? call(model, database) : NO_CALL
