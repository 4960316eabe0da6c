import assert from 'node:assert/strict'
import { IDEMPOTENCY_KEY_LIFETIME_MS } from '@pet-store/domain'
import { linesOf, withProcesses } from '../adapter/other-process/other-process.ts'
import { SETTABLE_CLOCK } from '../adapter/settable-clock.ts'
import { withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { assertTested } from '../case/not-tested.ts'
import { wait } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { after } from '../test-data/times.ts'

const GROUP = { group: 'persistence.clock', timeLimitMs: 60_000 }

/** At four times of a second, for an adapter whose clock counts seconds. */
const ROUNDS = 4
const PAUSE_MS = 270
/** Clocks are read in whole milliseconds, and may run at different speeds. */
const CLOCK_MS = 50
const ROUNDED_MS = 20

/** The clock of the database, and what happens at its time. */
export const clockCases: readonly HarnessCase[] = casesOf(GROUP, {
  'advances: tells a time that advances as time does': async (harness) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    await withPersistence(harness, url, async (opened) => {
      assertTested(opened.readClock, 'the clock of the database is that of this machine')
      const readings: { readonly start: number; readonly end: number; readonly at: number }[] = []
      while (readings.length <= ROUNDS) {
        const start = performance.now()
        const at = Number(await opened.readClock())
        readings.push({ start, end: performance.now(), at })
        await wait(PAUSE_MS)
      }
      const [first] = readings
      for (const { start, end, at } of readings.slice(1)) {
        const passedMs = at - (first?.at ?? 0)
        // It was read at some time between the start and the end of the call.
        const least = start - (first?.end ?? 0) - CLOCK_MS
        const most = end - (first?.start ?? 0) + CLOCK_MS
        assert.ok(
          passedMs >= least && passedMs <= most,
          `readClock must advance by ${least} to ${most} ms, but advanced by ${passedMs} ms`,
        )
      }
    })
  },
  'calls: takes the time of a call without one, to the millisecond, for its first use': async (
    harness,
  ) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    await withPersistence(harness, url, async (opened) => {
      const { pets } = opened
      const nowMs = async () => Number((await opened.readClock?.()) ?? new Date())
      for (let round = 0; round < ROUNDS; round += 1) {
        await wait(PAUSE_MS)
        const key = { owner: 'shop', key: `${round}`, fingerprint: 'Rex' }
        const before = await nowMs()
        const { pet } = await pets.addWithKey(aNewPet(), key)
        const later = await nowMs()
        const repeatAt = (ms: number) =>
          pets.addWithKey(aNewPet(), { ...key, at: new Date(ms + IDEMPOTENCY_KEY_LIFETIME_MS) })
        expectEqual(
          await repeatAt(before - ROUNDED_MS),
          { pet, isReplay: true },
          'a repeat within the lifetime of a key that was first used by a call without a time',
        )
        const { isReplay } = await repeatAt(later + ROUNDED_MS)
        expectEqual(isReplay, false, 'isReplay of a call after that lifetime')
      }
    })
  },
  'set: rejects no call because the clock of the machine is set while it waits': withProcesses(
    async (harness, start) => {
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      const [rejected = ''] = await linesOf(start(url, WITH_CLOCK_SET))
      expectEqual(JSON.parse(rejected), [], 'the calls that a change of the clock has rejected')
    },
  ),
  'zones: takes the same time for a call without one in processes of every time zone':
    withProcesses(async (harness, start) => {
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      for (const line of await linesOf(start(url, IN_TIME_ZONES, ZONES))) {
        const { zone, replays } = JSON.parse(line)
        const what = `isReplay a minute before and after the end of a key of a call without a time`
        expectEqual(replays, [true, false], `${what}, in ${zone}`)
      }
    }),
})

/** Before and after UTC, with and without hours in which clocks change. */
const ZONES = ['America/Los_Angeles', 'Asia/Tokyo', 'Asia/Kolkata']

/** Prints, for each time zone, whether a repeat is known just before and after a lifetime. */
const IN_TIME_ZONES = `
  for (const zone of values) {
    process.env.TZ = zone
    const opened = await open({ url, mode: 'migrate' })
    const key = { owner: 'shop', key: zone, fingerprint: 'Rex' }
    const addAt = (at) => opened.pets.addWithKey({ name: 'Rex', categoryId: 1n }, { ...key, at })
    await addAt(undefined)
    const nowMs = Number((await opened.readClock?.()) ?? new Date())
    const endMs = nowMs + ${IDEMPOTENCY_KEY_LIFETIME_MS}
    const replays = []
    for (const ms of [endMs - 60_000, endMs + 60_000])
      replays.push((await addAt(new Date(ms))).isReplay)
    print(JSON.stringify({ zone, replays }))
    await opened.close()
  }`

/** Sets the clock by hours, forward and back, while calls of every kind wait. */
const WITH_CLOCK_SET = `
${SETTABLE_CLOCK}
  const opened = await open({ url, mode: 'migrate' })
  const { pets, apiKeys } = opened
  const limiter = opened.createRateLimiter?.({ requests: 100, windowMs: 3_600_000 })
  const pet = { name: 'Rex', categoryId: 1n }
  const at = new RightDate(${after(0).getTime()})
  let count = 0
  const keyOf = () => ({ owner: 'shop', key: 'k' + (count += 1), fingerprint: 'Rex' })
  const apiKeyOf = () => {
    const name = String((count += 1))
    return { id: name, sha256: name.padStart(64, '0'), name, scopes: [], createdAt: at }
  }
  await apiKeys?.add({ ...apiKeyOf(), id: 'used' })
  const calls = {
    add: () => pets.add(pet),
    addWithKey: () => pets.addWithKey(pet, keyOf()),
    find: () => pets.find(1n),
    list: () => pets.list({ limit: 1 }),
    listStatus: () => pets.list({ status: 'sold', limit: 1 }),
    check: () => opened.check(),
    addKey: () => apiKeys?.add(apiKeyOf()),
    findKey: () => apiKeys?.findByHash('f'.repeat(64)),
    listKeys: () => apiKeys?.list(),
    markUsed: () => apiKeys?.markUsed([{ id: 'used', at }]),
    take: () => limiter?.take('key_kiosk'),
  }
  const rejected = []
  for (const hours of [1, -2, 30, 0]) {
    const begun = Object.entries(calls).flatMap(([name, call]) =>
      [1, 2, 3].map(async () => call()).map((one) =>
        one.catch((error) => rejected.push(name + ' at ' + hours + ' hours: ' + error)),
      ),
    )
    offsetMs = hours * 3_600_000
    await Promise.all(begun)
  }
  print(JSON.stringify(rejected))
  await opened.close()`
