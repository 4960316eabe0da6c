import fc from 'fast-check'
import { wait } from '../case/wait.ts'
import type { PersistenceHarness } from '../harness/persistence-harness.ts'
import { type MadeStep, makeCall, textOfSteps } from '../model/made-call.ts'
import { createModel, type Model } from '../model/model.ts'
import type { Choice } from '../model/model-call.ts'
import { modelsAfter } from '../model/models-after.ts'
import { type OpenDatabase, withOpenDatabase } from '../model/open-database.ts'

/** The same calls each time, so that each check of an adapter has the same result. */
const USUAL_SEED = 2_026

/**
 * For how long further sequences are begun, unless more of them are asked for: of a slow adapter
 * there are fewer.
 */
const BEGINNING_MS = 10_000
/** For how long sequences are looked for that are shorter, and fail too. */
const SHORTENING_MS = 5_000

/**
 * A part of a sequence: does it, calls `note` with the calls and their outcomes, and resolves with
 * what the database may hold then. Rejects if the ports do not allow the outcomes.
 */
export type Step = (
  database: OpenDatabase,
  models: readonly Model[],
  note: (made: MadeStep) => void,
) => Promise<readonly Model[]>

interface Plan {
  /** How many sequences, each on an empty database. */
  readonly sequences: number
  /** The most steps of each, but for the last ones. */
  readonly steps: number
  /** What each sequence ends with. */
  readonly lastSteps: readonly Step[]
  /** Stores what each sequence begins with, in the database and in the model. */
  readonly fill?: (model: Model, database: OpenDatabase) => Promise<void>
}

/**
 * Makes sequences of calls that are chosen at random, and expects each call to have the result that
 * the ports state. The error shows the calls of a sequence that failed, as few as still fail.
 */
export async function expectAsModel(
  harness: PersistenceHarness,
  steps: fc.Arbitrary<Step>,
  plan: Plan,
): Promise<void> {
  let failure: { readonly error: unknown; readonly steps: readonly MadeStep[] } | undefined
  const { times = 1, seed = USUAL_SEED } = harness.randomCalls ?? {}
  let endMs = performance.now() + BEGINNING_MS * times
  const property = fc.asyncProperty(
    fc.array(steps, { minLength: 1, maxLength: plan.steps, size: 'max' }),
    async (sequence) => {
      // It would go on to compute shorter ones, which takes minutes.
      if (performance.now() > endMs) throw new fc.PreconditionFailure(true)
      const made: MadeStep[] = []
      try {
        await makeCalls(harness, sequence, plan, made)
      } catch (error) {
        if (failure === undefined) endMs = performance.now() + SHORTENING_MS
        failure = { error, steps: made }
        throw error
      }
    },
  )
  await fc.check(property, { seed, numRuns: plan.sequences * times })
  if (failure === undefined) return
  const { error, steps: made } = failure
  if (error instanceof Error)
    error.message += `\nThe calls, those with one number at the same time:\n${textOfSteps(made)}`
  throw error
}

/** Makes the calls on a database of their own. What they resulted in is added to `steps`. */
async function makeCalls(
  harness: PersistenceHarness,
  sequence: readonly Step[],
  { lastSteps, fill }: Plan,
  steps: MadeStep[],
): Promise<void> {
  await withOpenDatabase(harness, async (database) => {
    const empty = createModel()
    await fill?.(empty, database)
    let models: readonly Model[] = [empty]
    for (const step of [...sequence, ...lastSteps]) {
      for (const model of models) model.lastIdsBefore = [...model.lastIds]
      models = await step(database, models, (made) => void steps.push(made))
    }
  })
}

/** A call, and when it is made in its step. */
export interface DelayedChoice {
  readonly choice: Choice
  readonly delayMs: number
}

/** Makes calls at the same time. */
export function callsAtOnce(choices: readonly Choice[]): Step {
  return overlappingCalls(choices.map((choice) => ({ choice, delayMs: 0 })))
}

/** Makes calls some of which begin when others are under way, or have ended. */
export function overlappingCalls(choices: readonly DelayedChoice[]): Step {
  return async (database, models, note) => {
    const calls = choices.map(({ choice, delayMs }) => ({
      call: choice(models[0] as Model, database),
      delayMs,
    }))
    const made = await Promise.all(
      calls.map(async ({ call, delayMs }) => {
        if (delayMs > 0) await wait(delayMs)
        return makeCall(call)
      }),
    )
    note(made)
    return modelsAfter(models, made)
  }
}
