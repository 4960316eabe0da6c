import { isDeepStrictEqual } from 'node:util'
import { withoutDifferences } from '../case/expectations.ts'
import { copyOf, type Model } from './model.ts'
import type { ModelCall, Outcome } from './model-call.ts'

/** A call that has ended. */
export interface MadeCall {
  readonly call: ModelCall
  /** How it has ended. */
  readonly outcome: Outcome
  /**
   * Given if it is unknown whether the call has happened: then `outcome` says nothing, and the call
   * had one of these outcomes if it has.
   */
  readonly unknownOutcomes?: (before: Model) => readonly Outcome[]
}

/** Calls that were made at the same time. */
export type MadeStep = readonly MadeCall[]

/** A model in which some calls of a step have happened, and those that have not. */
interface PartOfStep {
  readonly model: Model
  readonly calls: MadeStep
}

/**
 * What the database may hold after a step: of two revocations at the same time, for instance, only
 * a later call shows which one was first. If no order of the calls explains their outcomes, throws
 * why.
 */
export function modelsAfter(models: readonly Model[], step: MadeStep): readonly Model[] {
  const [model, ...otherModels] = models
  const [made, ...otherCalls] = step
  const isOne = otherModels.length === 0 && otherCalls.length === 0
  if (model && made && isOne && made.unknownOutcomes === undefined) {
    made.call.apply(model, made.outcome)
    return models
  }
  let fail = () => {}
  let parts: readonly PartOfStep[] = models.map((part) => ({ model: part, calls: step }))
  for (const _ of step) {
    const next = parts.flatMap(({ model: before, calls }) =>
      calls.flatMap((one) => {
        const others = calls.filter((other) => other !== one)
        const outcomes = one.unknownOutcomes?.(before) ?? [one.outcome]
        const after = outcomes.flatMap((outcome): readonly PartOfStep[] => {
          const changed = copyOf(before)
          try {
            withoutDifferences(() => one.call.apply(changed, outcome))
          } catch {
            fail = () => one.call.apply(copyOf(before), outcome)
            return []
          }
          return [{ model: changed, calls: others }]
        })
        return one.unknownOutcomes ? [{ model: before, calls: others }, ...after] : after
      }),
    )
    if (next.length === 0) fail()
    parts = next.length === 1 ? next : withoutEqualOnes(next)
  }
  return parts.map(({ model }) => model)
}

function withoutEqualOnes(parts: readonly PartOfStep[]): readonly PartOfStep[] {
  const different: PartOfStep[] = []
  for (const { model, calls } of parts) {
    const isEqual = (other: PartOfStep) =>
      calls.every((call, index) => call === other.calls[index]) &&
      isDeepStrictEqual(model, other.model)
    if (!different.some(isEqual)) different.push({ model, calls })
  }
  return different
}
