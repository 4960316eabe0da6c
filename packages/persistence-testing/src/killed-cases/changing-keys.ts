import assert from 'node:assert/strict'
import {
  killedAfter,
  untilKilled,
  untilKilledOnce,
} from '../adapter/other-process/killed-process.ts'
import { type StartProcess, withProcesses } from '../adapter/other-process/other-process.ts'
import { apiKeysOf, withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { aNewApiKey, withoutHash } from '../test-data/new-api-keys.ts'
import { after } from '../test-data/times.ts'

const ROUNDS = 3

/** How many keys are replaced at the same time: in each round some are in the middle. */
const ROTATORS = 8

const ROTATIONS_PER_ROUND = 40

const GROUP = { group: 'persistence.killed', timeLimitMs: 180_000 }

/** A process that is killed loses no change of an API key, and leaves none incomplete. */
export const killedWhileChangingKeysCases: readonly HarnessCase[] = casesOf(GROUP, {
  'api-keys: has an API key, its rotation and its end, even if killed as soon as they resolved':
    withProcesses(async (harness, start) => {
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      await withPersistence(harness, url, (opened) => apiKeysOf(opened).add(aNewApiKey('old')))
      const added = aNewApiKey('new')
      const successor = JSON.stringify(aNewApiKey('next'))
      for (const call of [
        `apiKeys.revoke('key_old', at)`,
        `apiKeys.add({ ...${JSON.stringify(added)}, createdAt: at })`,
        `apiKeys.replace('key_new', { ...${successor}, createdAt: at }, at)`,
      ])
        await untilKilled(start(url, killedAfter(SET_UP, call)))
      await withPersistence(harness, url, async (opened) => {
        const apiKeys = apiKeysOf(opened)
        expectEqual(
          (await apiKeys.find('key_old'))?.revokedAt,
          after(0),
          'the time at which the key was revoked',
        )
        expectEqual(
          await apiKeys.findByHash(added.sha256),
          { ...withoutHash(added), expiresAt: after(0), replacedBy: 'key_next' },
          'the key that was added and replaced',
        )
        expectEqual(
          await apiKeys.find('key_next'),
          withoutHash(aNewApiKey('next')),
          'find must return the successor',
        )
      })
    }),
  'rotations: has a rotation as a whole, or nothing of it, after kill -9 in the middle of many':
    withProcesses(async (harness, start) => {
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      const names = Array.from({ length: ROTATORS }, (_, rotator) => `${rotator}`)
      await withPersistence(harness, url, async (opened) => {
        for (const name of names) await apiKeysOf(opened).add(aNewApiKey(`${name}-0`))
      })
      const acknowledged: string[] = []
      for (let round = 0; round < ROUNDS; round += 1)
        acknowledged.push(...(await rotateUntilKilled(start, url, round)))
      await withPersistence(harness, url, async (opened) => {
        const keys = new Map((await apiKeysOf(opened).list()).map((key) => [key.id, key]))
        const missing = acknowledged.filter((id) => !keys.has(id))
        expectEqual(missing, [], 'the successors whose replace has resolved, and are not stored')
        for (const { id, replacedBy } of keys.values()) {
          if (replacedBy !== undefined)
            assert.ok(keys.has(replacedBy), `the successor of ${id} must be stored`)
          if (id.endsWith('-0')) continue
          const replaced = [...keys.values()].filter((key) => key.replacedBy === id)
          expectEqual(replaced.length, 1, `the number of keys that ${id} has replaced`)
        }
      })
    }),
  'uses: has all uses of API keys of a call, or none, after kill -9 in the middle of many':
    withProcesses(async (harness, start) => {
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      const ids = Array.from({ length: USES }, (_, index) =>
        index % (USES / USED) === 0 ? `key_${index / (USES / USED)}` : `key_none ${index}`,
      )
      await withPersistence(harness, url, async (opened) => {
        const apiKeys = apiKeysOf(opened)
        await inGroups(USED, (index) => apiKeys.add(aNewApiKey(`${index}`)))
      })
      for (let round = 0; round < ROUNDS; round += 1) {
        const firstMs = after(0).getTime() + round * MAX_USES
        const lines = await useUntilKilled(start, url, ids, firstMs)
        await withPersistence(harness, url, async (opened) => {
          const times = (await apiKeysOf(opened).list()).map(({ lastUsedAt }) => lastUsedAt)
          const [first, ...others] = new Set(times.map((time) => time?.getTime()))
          expectEqual([first, ...others], [first], 'the last use of each key of one call')
          const least = firstMs + lines.length - 1
          assert.ok(Number(first) >= least, `the use ${least} was acknowledged, got ${first}`)
        })
      }
    }),
})

/** What the calls after which a process is killed use. */
const SET_UP = `
  const { apiKeys } = await open({ url, mode: 'migrate' })
  const at = new Date(${after(0).getTime()})`

/** Each rotator replaces the last key of its chain, again and again, and prints the successor. */
const ROTATOR = `
  const [round, rotators] = values
  const { apiKeys } = await open({ url, mode: 'migrate' })
  const at = new Date(${after(0).getTime()})
  const rest = { name: 'rotated', scopes: ['pets:read'], createdAt: at }
  const rotate = async (rotator) => {
    let last = 'key_' + rotator + '-0'
    // The chain of the rounds before.
    for (let key; (key = await apiKeys.find(last))?.replacedBy; ) last = key.replacedBy
    for (let number = 1; ; number += 1) {
      const name = rotator + '-' + round + '-' + number
      const sha256 = Buffer.from(name).toString('hex').padStart(64, '0')
      await apiKeys.replace(last, { id: 'key_' + name, sha256, ...rest }, at)
      last = 'key_' + name
      print(last)
    }
  }
  await Promise.all(Array.from({ length: Number(rotators) }, (_, rotator) => rotate(rotator)))`

/** Lets another process replace keys, kills it in the middle, and returns the ids of successors. */
function rotateUntilKilled(
  start: StartProcess,
  url: string,
  round: number,
): Promise<readonly string[]> {
  const rotator = start(url, ROTATOR, [`${round}`, `${ROTATORS}`])
  return untilKilledOnce(rotator, ROTATIONS_PER_ROUND)
}

/** How many keys one call marks as used. */
const USED = 50
/** There are no keys with the other ids, so that a call is long without many keys. */
const USES = 1_500

/** More calls than a process makes before it is killed. */
const MAX_USES = 1_000_000

/** So many calls have resolved before the process is killed. */
const USES_ACKNOWLEDGED = 5

/** Marks all keys as used, again and again, each time later, and prints a line for each call. */
const USER = `
  const [firstMs, ...ids] = values
  const { apiKeys } = await open({ url, mode: 'migrate' })
  for (let ms = Number(firstMs); ; ms += 1) {
    await apiKeys.markUsed(ids.map((id) => ({ id, at: new Date(ms) })))
    print('used')
  }`

/** Lets another process mark keys as used, kills it in the middle, and returns its lines. */
function useUntilKilled(
  start: StartProcess,
  url: string,
  ids: readonly string[],
  firstMs: number,
): Promise<readonly string[]> {
  const user = start(url, USER, [`${firstMs}`, ...ids])
  return untilKilledOnce(user, USES_ACKNOWLEDGED, 20)
}
