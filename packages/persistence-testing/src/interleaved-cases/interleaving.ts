import { aTurnLater, wait } from '../case/wait.ts'
import { type MadeCall, type MadeStep, makeCall, textOfSteps } from '../model/made-call.ts'
import type { Model } from '../model/model.ts'
import type { Choice, ModelCall } from '../model/model-call.ts'
import { modelsAfter } from '../model/models-after.ts'
import type { HeldDatabase } from './held-database.ts'

/** Two calls on what was made for them alone. */
interface TwoCalls {
  /** Makes what they are about. */
  readonly before: readonly Choice[]
  /** Between whose replies the other one is made. */
  readonly slow: Choice
  readonly beside: Choice
  /** Shows what they have changed. */
  readonly after: readonly Choice[]
  /** In this time what the slow call leaves to do gets its next reply (default: nothing). */
  readonly afterwardsMs?: number
}

/** Makes two calls on things of this name, which nothing else has. */
export type TwoCallsOf = (name: string) => TwoCalls

/** More replies than a call has. */
const MAX_REPLIES = 24
/** Where no replies can be held: for so many turns of the event loop the slow call runs alone. */
const MAX_TURNS = 2
/**
 * The call beside a slow one may have to wait for it, as for a lock. It does if it takes so many
 * times as long as the calls before, but for at least, and at most, these times.
 */
const BLOCKED_TIMES = 4
const BLOCKED_MS = { least: 30, most: 300 }

let names = 0

/**
 * Makes two calls several times: the second one while the first one waits for its first reply, for
 * its second one, and so on. Expects results that they have one after the other. `use` gives each
 * time a database, the same one or another one. Does nothing once it is later than `latestMs`.
 */
export async function expectOneAfterTheOther(
  use: (work: (database: HeldDatabase) => Promise<void>) => Promise<void>,
  callsOf: TwoCallsOf,
  latestMs: number,
): Promise<void> {
  let isSlow = true
  for (let replies = 0; isSlow && replies < MAX_REPLIES; replies += 1) {
    if (performance.now() > latestMs) return
    names += 1
    const calls = callsOf(`${names}`)
    await use(async (database) => {
      isSlow = await makeTwoCalls(database, calls, replies)
    })
  }
}

/** Returns whether the first call was slow enough for another one to come between. */
async function makeTwoCalls(
  database: HeldDatabase,
  { before, slow, beside, after, afterwardsMs = 0 }: TwoCalls,
  replies: number,
): Promise<boolean> {
  const { other, model } = database
  const steps: MadeStep[] = []
  let models: readonly Model[] = [model]
  const choose = (choice: Choice, where = other) => choice(models[0] as Model, where)
  const note = (step: MadeStep) => {
    steps.push(step)
    for (const one of models) one.lastIdsBefore = [...one.lastIds]
    models = modelsAfter(models, step)
  }
  try {
    let longestMs = 0
    for (const choice of before) {
      const startMs = performance.now()
      note([await makeCall(choose(choice))])
      longestMs = Math.max(longestMs, performance.now() - startMs)
    }
    const calls = {
      slow: choose(slow, database.slow),
      beside: choose(beside),
      afterwardsMs,
      blockedMs: Math.min(Math.max(BLOCKED_MS.least, BLOCKED_TIMES * longestMs), BLOCKED_MS.most),
    }
    const { step, isSlow } = await makeBeside(database, calls, replies)
    note(step)
    if (isSlow) for (const choice of after) note([await makeCall(choose(choice))])
    Object.assign(model, models[0])
    return isSlow
  } catch (error) {
    if (error instanceof Error)
      error.message +=
        `\nThe calls, those with one number at the same time; the second of them after ` +
        `${replies} replies to the first:\n${textOfSteps(steps)}`
    throw error
  }
}

interface SlowAndBeside {
  readonly slow: ModelCall
  readonly beside: ModelCall
  readonly afterwardsMs: number
  readonly blockedMs: number
}

async function makeBeside(
  { held }: HeldDatabase,
  { slow, beside, afterwardsMs, blockedMs }: SlowAndBeside,
  replies: number,
): Promise<{ readonly step: MadeStep; readonly isSlow: boolean }> {
  const waits = held?.hold(replies).then(() => true)
  const making: Promise<MadeCall>[] = [makeCall(slow)]
  try {
    const ends = making[0]?.then(() => wait(afterwardsMs)).then(() => false)
    const isSlow = await (waits ? Promise.race([waits, ends]) : afterTurns(replies))
    if (isSlow) {
      making.push(makeCall(beside))
      const hasEnded = await Promise.race([
        making[1]?.then(() => true),
        wait(blockedMs).then(() => false),
      ])
      // A read that begins now must know what the call beside has changed.
      if (hasEnded && slow.unknownOutcomes === undefined) making.push(makeCall(slow))
    }
    held?.release()
    return { step: await Promise.all(making), isSlow: isSlow ?? false }
  } finally {
    held?.release()
  }
}

/** Whether the call may still run after so many turns of the event loop. */
async function afterTurns(turns: number): Promise<boolean> {
  for (let turn = 0; turn < turns; turn += 1) await aTurnLater()
  return turns < MAX_TURNS
}
