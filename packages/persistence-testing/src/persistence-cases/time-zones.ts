import { IDEMPOTENCY_KEY_LIFETIME_MS } from '@pet-store/domain'
import { linesOf, withProcesses } from '../adapter/other-process/other-process.ts'
import { withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { hashOf } from '../test-data/new-api-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'

const GROUP = { group: 'persistence.reopen', timeLimitMs: 120_000 }

/**
 * Before, within and after the hours in which the clocks of the zones below change: two times of
 * each of these hours have the same local time, or there is a local time that no time has.
 */
const BERLIN: readonly number[] = [0, 1, 2].map((hour) => Date.UTC(2026, 9, 25, hour, 30, 0, 7))
const TIMES: readonly number[] = [
  ...BERLIN,
  ...[0, 1, 2].map((hour) => Date.UTC(2026, 2, 29, hour, 30, 0, 7)),
  ...[5, 6, 7].map((hour) => Date.UTC(2026, 10, 1, hour, 30, 0, 7)),
].toSorted((one, other) => one - other)

const ZONES = ['Europe/Berlin', 'America/New_York']

/** A time is the same whatever the time zone of a process is. */
export const timeZoneCases: readonly HarnessCase[] = casesOf(GROUP, {
  'time-zones: returns every time as a process in another time zone has stored it': withProcesses(
    async (harness, start) => {
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      const times = JSON.stringify(TIMES)
      // Of days that are far apart, an adapter may delete the earlier ones.
      const keyed = JSON.stringify(BERLIN)
      const lines = await linesOf(start(url, WRITES_AND_READS, [times, keyed, ...ZONES]))
      await withPersistence(harness, url, async ({ pets, apiKeys }) => {
        const expected = TIMES.flatMap((at) => fieldsOf(at))
        if (apiKeys !== undefined) {
          for (const line of lines)
            expectEqual(JSON.parse(line), expected, 'the times of API keys in another time zone')
          const listed = (await apiKeys.list()).map(timesOf)
          expectEqual(listed, expected, 'the times of API keys that another time zone has stored')
          for (const at of TIMES) {
            const changed = (await apiKeys.listChangedSince?.(new Date(at)))?.map(timesOf)
            const since = TIMES.filter((time) => time >= at).flatMap(fieldsOf)
            expectEqual(changed ?? since, since, 'the times of the API keys that changed since')
          }
        }
        for (const at of BERLIN) {
          const key = { owner: 'shop', key: `${at}`, fingerprint: 'Rex' }
          const end = at + IDEMPOTENCY_KEY_LIFETIME_MS
          for (const [time, expectedReplay] of [
            [end - 1, true],
            [end, false],
          ] as const) {
            const call = pets.addWithKey(aNewPet(), { ...key, at: new Date(time) })
            const { isReplay } = await call
            expectEqual(isReplay, expectedReplay, `isReplay at ${new Date(time).toISOString()}`)
          }
        }
      })
    },
  ),
})

type Times = Readonly<Record<string, number>>

/** The times of the two keys that are stored for a time: one was replaced by the other. */
function fieldsOf(at: number): readonly Times[] {
  return [
    { createdAt: at, lastUsedAt: at, revokedAt: at, expiresAt: at },
    { createdAt: at + 1, expiresAt: at },
  ]
}

function timesOf(key: object): Times {
  const times = Object.entries(key).filter(([, value]) => value instanceof Date)
  return Object.fromEntries(times.map(([name, value]) => [name, value.getTime()]))
}

/**
 * Stores everything that has a time, in the first time zone, and prints the times of API keys;
 * again in the second one.
 */
const WRITES_AND_READS = `
  const hashOf = ${hashOf}
  const [times, keyed, ...zones] = values
  for (const zone of zones) {
    process.env.TZ = zone
    const opened = await open({ url, mode: 'migrate' })
    const { pets, apiKeys } = opened
    if (zone === zones[0]) {
      for (const ms of JSON.parse(keyed)) {
        const key = { owner: 'shop', key: String(ms), fingerprint: 'Rex', at: new Date(ms) }
        await pets.addWithKey({ name: 'Rex', categoryId: 1n }, key)
      }
      for (const ms of JSON.parse(times)) {
        const at = new Date(ms)
        const keyOf = (id, createdAt) => ({
          id, sha256: hashOf(id), name: id, scopes: [], createdAt, expiresAt: at,
        })
        await apiKeys?.add(keyOf('a' + ms, at))
        await apiKeys?.markUsed([{ id: 'a' + ms, at }])
        await apiKeys?.revoke('a' + ms, at)
        await apiKeys?.replace('a' + ms, keyOf('b' + ms, new Date(ms + 1)), at)
      }
    }
    const timesOf = ${timesOf}
    if (apiKeys !== undefined) print(JSON.stringify((await apiKeys.list()).map(timesOf)))
    await opened.close()
  }`
