import { AssertionError } from 'node:assert/strict'
import type { NewPet, Pet } from '@pet-store/domain'
import type { Persistence } from '@pet-store/persistence'
import { allEnded, CALL_LIMIT_MS, UNAVAILABLE } from '../adapter/outage.ts'
import { untilAvailable } from '../adapter/until-available.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { expectEqual, isEqual } from '../case/expectations.ts'
import { endWithin } from '../case/time-limit.ts'
import { wait } from '../case/wait.ts'
import { memberOf } from '../harness/harness-members.ts'
import { type MadeCall, makeCall } from '../model/made-call.ts'
import { type Model, sortedPets, storePet } from '../model/model.ts'
import { NO_CALL } from '../model/model-call.ts'
import { modelsAfter } from '../model/models-after.ts'
import type { OpenDatabase } from '../model/open-database.ts'
import { aNewPet, withoutId } from '../test-data/new-pets.ts'
import type { DelayedChoice, Step } from './call-sequence.ts'

/** How a database becomes unavailable, as members of a harness. */
export type OutageKind = 'interrupt' | 'freeze' | 'fill'

/** When the database becomes unavailable, and for how long. */
export interface StepOutage {
  readonly kind: OutageKind
  readonly delayMs: number
  readonly durationMs: number
}

/** In this time a database executes what was sent to it while it did not respond. */
const EXECUTED_WITHIN_MS = 300

/** What is added to see whether that works again; no other pet has this name. */
const PROBE: NewPet = aNewPet({ name: 'added after an outage' })
/** So many at the same time that several connections are used. */
const PROBES = 4

/** More than a sequence stores. */
const ALL = 100_000

/** Makes calls while the database becomes unavailable, and looks at what they have stored. */
export function outageStep(
  calls: readonly DelayedChoice[],
  { kind, delayMs, durationMs }: StepOutage,
  scale: number,
): Step {
  return async (database, models, note) => {
    const making = calls.map(({ choice, delayMs: callDelayMs }) => {
      const call = choice(models[0] as Model, database)
      const run = () => endWithin(CALL_LIMIT_MS * scale, call.run, call.text)
      return awaitedLater(wait(callDelayMs).then(() => makeCall({ ...call, run })))
    })
    await wait(delayMs)
    const begin = memberOf(database.harness, database.harness[kind] ? kind : 'interrupt')
    const { end } = await begin(database.url)
    await wait(durationMs)
    await end()
    const made = await Promise.all(making)
    const text = `outage (${kind}) after ${delayMs} ms, for ${durationMs} ms`
    const outage = await makeCall({ ...NO_CALL, text })
    note([outage, ...made])
    if (kind !== 'interrupt' && made.some(isUnknown)) await wait(EXECUTED_WITHIN_MS)
    await untilEveryOneWorks(database)
    const stored = (await database.openings[0]?.pets.list({ limit: ALL })) as readonly Pet[]
    const effective = made.flatMap((one) => withEffect(one, stored))
    return withStoredPets(modelsAfter(models, effective), stored)
  }
}

/** A call whose outcome must be explained: not one that an outage rejects without any effect. */
function withEffect(made: MadeCall, stored: readonly Pet[]): readonly MadeCall[] {
  const { call, outcome } = made
  if ('value' in outcome) return [made]
  const { error } = outcome
  // It has not ended in time.
  if (error instanceof AssertionError) throw error
  const isUnavailable = Object(error).code === UNAVAILABLE.code || call.mayRejectWithAnyError
  if (!isUnavailable) return [made]
  const { unknownOutcomes } = call
  if (unknownOutcomes === undefined || !isUnknown(made)) return []
  return [{ ...made, unknownOutcomes: (before) => unknownOutcomes(before, stored) }]
}

const isUnknown = ({ outcome }: MadeCall): boolean =>
  'error' in outcome && Object(outcome.error).outcome !== 'not_stored'

/** Those models whose pets are stored, with what was added to see whether that works again. */
function withStoredPets(models: readonly Model[], stored: readonly Pet[]): readonly Model[] {
  const probes = stored.filter((pet) => isEqual(withoutId(pet), PROBE))
  for (const model of models) for (const probe of probes) storePet(model, probe)
  const possible = models.filter((model) => isEqual(sortedPets(model), stored))
  if (possible.length === 0)
    expectEqual(
      stored,
      sortedPets(models[0] as Model),
      'the pets after an outage: those whose adds have resolved, none of those whose adds said ' +
        'not_stored, and those whose adds said unknown once at most',
    )
  return possible
}

async function untilEveryOneWorks(database: OpenDatabase): Promise<void> {
  const { openings, hasBulkBeside, useBulk } = database
  const works: Promise<unknown>[] = openings.map((opened) =>
    untilAvailable(() => callEachPort(opened)),
  )
  if (hasBulkBeside) works.push(untilAvailable(() => useBulk((bulk) => bulk.countPets())))
  await allEnded(works)
}

async function callEachPort(opened: Persistence): Promise<void> {
  const { pets, apiKeys } = opened
  const calls = Array.from({ length: PROBES }, () => [
    pets.add(PROBE),
    pets.list({ limit: 1 }),
    apiKeys?.find('key_none'),
  ])
  await allEnded(calls.flat().map(async (call) => call))
  await opened.check()
}
