import type { Model } from './model.ts'
import { type ModelCall, type Outcome, textOf } from './model-call.ts'

/** A call that has ended. */
export interface MadeCall {
  readonly call: ModelCall
  /** How it has ended. */
  readonly outcome: Outcome
  /** When it began and ended, as positions among all beginnings and ends of calls. */
  readonly begun: number
  readonly ended: number
  /**
   * Given if it is unknown whether the call has happened: then `outcome` says nothing, and the call
   * had one of these outcomes if it has.
   */
  readonly unknownOutcomes?: (before: Model) => readonly Outcome[]
}

/** Calls that were made at the same time, or soon one after the other. */
export type MadeStep = readonly MadeCall[]

let beginningsAndEnds = 0

const nextPlace = (): number => {
  beginningsAndEnds += 1
  return beginningsAndEnds
}

export async function makeCall(call: ModelCall): Promise<MadeCall> {
  const begun = nextPlace()
  const outcome = await outcomeOf(call)
  return { call, outcome, begun, ended: nextPlace() }
}

async function outcomeOf({ run }: ModelCall): Promise<Outcome> {
  try {
    return { value: await run() }
  } catch (error) {
    return { error }
  }
}

/** Writes calls down with their outcomes, those of one step with one number. */
export function textOfSteps(steps: readonly MadeStep[]): string {
  const lines = steps.flatMap((step, index) =>
    step.map(({ call, outcome }) => `${index + 1}. ${call.text} -> ${outcomeText(outcome)}`),
  )
  return lines.join('\n')
}

function outcomeText(outcome: Outcome): string {
  return 'value' in outcome ? textOf(outcome.value) : `rejected: ${String(outcome.error)}`
}
