import { isDeepStrictEqual } from 'node:util'
import { withoutDifferences } from '../case/expectations.ts'
import type { MadeCall, MadeStep } from './made-call.ts'
import { copyOf, type Model } from './model.ts'
import type { ModelCall } from './model-call.ts'

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
  const hasReads = step.some(({ call }) => !isWrite(call))
  let fail = () => {}
  let parts: readonly PartOfStep[] = models.map((part) => ({ model: part, calls: step }))
  for (const _ of step) {
    const next = parts.flatMap(({ model: before, calls }) =>
      calls.flatMap((one) => {
        const others = calls.filter((other) => other !== one)
        if (others.some((other) => mustPrecede(other, one, hasReads))) return []
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

/**
 * Whether a call has ended before another one began, so that this one must know what it has done.
 * Where reads are made at the same time as writes, only reads must: one that takes several steps,
 * such as a list, may see a later write and not yet an earlier one.
 */
function mustPrecede(one: MadeCall, other: MadeCall, hasReads: boolean): boolean {
  const isLater = one.ended < other.begun && one.unknownOutcomes === undefined
  return isLater && (!hasReads || (isWrite(one.call) && !isWrite(other.call)))
}

const isWrite = ({ unknownOutcomes }: ModelCall): boolean => unknownOutcomes !== undefined

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
