import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { OnStatement, Persistence } from '@pet-store/persistence'
import { everyCall, prepareCalls } from '../adapter/every-call.ts'
import { CALL_LIMIT_MS } from '../adapter/outage.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { assertTested } from '../case/not-tested.ts'
import { endWithin } from '../case/time-limit.ts'
import { aTurnLater, wait } from '../case/wait.ts'
import { memberOf } from '../harness/harness-members.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { aNewApiKey, hashOf } from '../test-data/new-api-keys.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { after } from '../test-data/times.ts'

const GROUP = { group: 'persistence.declared', timeLimitMs: 60_000 }

/** Statements are reported, and the use of pools. */
export const reportingCases: readonly HarnessCase[] = casesOf(GROUP, {
  'reports: reports statements until their end, without values, and the use of pools': async (
    harness,
  ) => {
    const reported: Reported[] = []
    const context = new AsyncLocalStorage<string>()
    const called: string[] = []
    const onStatement: OnStatement = (statement, server) => {
      const text = JSON.stringify([statement, server])
      const wrong = [
        ...wrongFields(statement, STATEMENT_TYPES, 'name'),
        ...wrongFields(server, SERVER_TYPES, 'system'),
      ]
      const entry = { name: statement.name, text, wrong, call: context.getStore(), ends: 0 }
      reported.push(entry)
      return () => {
        entry.ends += 1
      }
    }
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const opened = await harness.open({ url, mode: 'migrate', onStatement })
    const uses: unknown[] = []
    try {
      for (const label of [VALUE, `${VALUE} again`]) {
        await prepareCalls(opened, label)
        const calls = everyCall(opened, label)
        const running = calls.map(({ name, run }) => context.run(`${name} ${label}`, run))
        if (opened.poolUse !== undefined) uses.push(opened.poolUse())
        await Promise.all(running)
        const ofPets = calls.filter(({ name }) => name.startsWith('pets.'))
        called.push(...ofPets.map(({ name }) => `${name} ${label}`))
        await opened.apiKeys?.add(aNewApiKey(`${label} new`)).catch(() => undefined)
      }
      await callInManySizes(opened)
      await callWithValues(opened)
      const count = reported.length
      if (opened.poolUse !== undefined) uses.push(opened.poolUse())
      expectEqual(reported.length, count, 'the number of statements after poolUse, which runs none')
      const clock = await opened.readClock?.()
      if (opened.readClock !== undefined)
        assert.ok(
          clock instanceof Date && Math.abs(clock.getTime() - Date.now()) < DAY_MS,
          `readClock must return the present time, got ${String(clock)}`,
        )
    } finally {
      await opened.close()
    }
    // A function may want to know of no end.
    const told = await harness.open({ url, mode: 'write', onStatement: () => undefined })
    try {
      for (const { run } of everyCall(told, VALUE).filter(({ isRead }) => isRead)) await run()
    } finally {
      await told.close()
    }
    assertTested(
      reported.length + uses.length > 0,
      'the adapter reports no statements, and has no pools',
    )
    for (const { name, text, wrong, ends } of reported) {
      expectEqual(
        wrong,
        [],
        `the fields of the report ${text} that are missing, or of another type`,
      )
      expectEqual(ends, 1, `how often the end of ${name} is reported`)
      const told = VALUES.filter((value) => text.includes(value))
      expectEqual(told, [], `the values in the report ${text}, which must have placeholders`)
    }
    const reportedCalls = new Set(reported.map(({ call }) => call))
    const unreported = called.filter((call) => !reportedCalls.has(call))
    if (reported.length > 0)
      expectEqual(
        unreported,
        [],
        'the calls in whose asynchronous context no statement was reported',
      )
    // A name for each statement would be a value too.
    const names = new Set(reported.map(({ name }) => name))
    assert.ok(names.size < MOST_NAMES, `statements must have few names, got ${names.size}`)
    for (const use of uses) expectPoolUse(use)
  },
  'failures: reports the end of each statement of an outage once, and its error': async (
    harness,
    scale,
  ) => {
    const interrupt = memberOf(harness, 'interrupt')
    const ends: { readonly name: string; readonly errors: unknown[] }[] = []
    const onStatement: OnStatement = ({ name }) => {
      const errors: unknown[] = []
      ends.push({ name, errors })
      return (error) => void errors.push(error)
    }
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const opened = await harness.open({ url, mode: 'migrate', onStatement })
    try {
      await prepareCalls(opened, 'failures')
      const calls = everyCall(opened, 'failures')
      for (const { run } of calls.filter(({ isRead }) => isRead)) await run()
      assertTested(ends.length > 0, 'the adapter reports no statements')
      for (const { name, errors } of ends)
        expectEqual(errors, [undefined], `what the end of ${name} says, which has not failed`)
      // Some of these find the outage before they have a result.
      await prepareCalls(opened, 'under way')
      const hasEnded = { value: false }
      const underWay = everyCall(opened, 'under way').map(({ run }) =>
        awaitedLater(repeatUntil(hasEnded, run)),
      )
      await wait(UNDER_WAY_MS)
      const { end, readsWork } = await interrupt(url).finally(() => {
        hasEnded.value = true
      })
      try {
        await endWithin(CALL_LIMIT_MS * scale, () => Promise.all(underWay))
        const before = ends.length
        const all = calls.map(({ run }) => endWithin(CALL_LIMIT_MS * scale, run))
        await Promise.allSettled(all)
        const failed = readsWork ? [] : ends.slice(before).filter(({ errors }) => errors.length > 0)
        for (const { name, errors } of failed)
          assert.ok(errors[0] instanceof Error, `the end of ${name} must get the error, got none`)
      } finally {
        await end()
      }
    } finally {
      await opened.close()
    }
    for (const { name, errors } of ends)
      expectEqual(errors.length, 1, `how often the end of ${name} is reported`)
  },
})

/** So long that calls of every kind have been made, and others are under way. */
const UNDER_WAY_MS = 20
const PAUSE_MS = 5

async function repeatUntil(
  hasEnded: { readonly value: boolean },
  run: () => Promise<unknown>,
): Promise<void> {
  while (!hasEnded.value) {
    // What is rejected at once is not called a thousand times.
    await run().catch(() => wait(PAUSE_MS))
    await aTurnLater()
  }
}

/** Pages of every size, of pets with different ids, and uses of as many API keys. */
async function callInManySizes({ pets, apiKeys }: Persistence): Promise<void> {
  await inGroups(MOST_NAMES, async (index) => {
    const uses = Array.from({ length: index + 1 }, (_, number) => ({
      id: `${VALUE} ${number}`,
      at: after(0),
    }))
    await Promise.all([
      pets.list({ limit: index + 1 }),
      pets.find(BigInt(index + 1)),
      apiKeys?.markUsed(uses),
    ])
  })
}

/** Reads and writes the number and the time, which no other call does. */
async function callWithValues({ pets, apiKeys }: Persistence): Promise<void> {
  const { id } = aNewApiKey(`${VALUE} used`)
  const successor = aNewApiKey(`${VALUE} last`, { expiresAt: TIME })
  const key = anIdempotencyKey({ key: `${VALUE} in 2009`, at: TIME })
  const pet = aNewPet({ categoryId: NUMBER })
  await pets.add(pet)
  await pets.addWithKey(pet, key)
  await pets.find(NUMBER)
  for (const status of [undefined, 'sold'] as const)
    await pets.list({ after: NUMBER, limit: 1, status })
  await apiKeys?.replace(id, successor, TIME)
  await apiKeys?.markUsed([{ id, at: TIME }])
  await apiKeys?.revoke(id, TIME)
  await apiKeys?.listChangedSince?.(TIME)
}

/** A statement that the adapter has reported. */
interface Reported {
  readonly name: string
  readonly text: string
  /** The fields of the statement and its server that are not as their types say. */
  readonly wrong: readonly string[]
  /** The call in whose asynchronous context it was reported. */
  readonly call: string | undefined
  ends: number
}

const STATEMENT_TYPES = { name: 'string', sql: 'string' }
const SERVER_TYPES = { system: 'string', host: 'string', port: 'number', database: 'string' }

/** An adapter may be in JavaScript. One field must be there; others may be absent. */
function wrongFields(
  given: unknown,
  types: Readonly<Record<string, string>>,
  required: string,
): readonly string[] {
  const isWrong = ([field, type]: readonly [string, string]) => {
    const value: unknown = Reflect.get(Object(given), field)
    return value === undefined || value === '' ? field === required : typeof value !== type
  }
  return Object.entries(types)
    .filter(isWrong)
    .map(([field]) => field)
}

/** An adapter has fewer statements. */
const MOST_NAMES = 100

/** Clocks differ, by less than this. */
const DAY_MS = 24 * 3_600_000

/** Part of every name and key that the calls use. */
const VALUE = 'v4lue'
const NUMBER = 7_654_321_987_654_321n
const TIME = new Date('2009-02-13T23:31:30.123Z')

/** What shows each of these in a text, in any time zone, and the hash of a name. */
const VALUES = [
  ...[VALUE, hashOf(VALUE).replace(/^0+/, ''), `${NUMBER}`],
  ...[`${TIME.getTime()}`, '2009-02-1'],
]

function expectPoolUse(use: unknown): void {
  assert.ok(Array.isArray(use), 'poolUse must return a list at once')
  for (const pool of use) {
    const { name, waitingLimit = 0, ...numbers } = pool as Readonly<Record<string, unknown>>
    expectEqual(typeof name, 'string', 'the type of the name of a pool')
    expectEqual(
      Object.keys(numbers).toSorted(),
      ['busy', 'idle', 'limit', 'waiting'],
      'the fields that poolUse returns of a pool',
    )
    for (const [key, value] of Object.entries({ ...numbers, waitingLimit }))
      assert.ok(Number.isSafeInteger(value) && Number(value) >= 0, `${key} must be a plain number`)
    const { busy, idle, limit } = numbers
    assert.ok(
      Number(busy) + Number(idle) <= Number(limit),
      `${busy} busy connections and ${idle} idle ones must be at most the limit of ${limit}`,
    )
  }
}
