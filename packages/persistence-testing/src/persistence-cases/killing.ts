import assert from 'node:assert/strict'
import type { PetRepository } from '@pet-store/domain'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { aNewApiKey, withoutHash } from '../new-api-keys.ts'
import { aNewPet } from '../new-pets.ts'
import type { HarnessCase } from '../persistence-harness.ts'
import { listAll, samePetsByName } from '../stored-pets.ts'
import { after } from '../times.ts'
import { apiKeysOf, withPersistence } from '../with-persistence.ts'
import { type StartProcess, untilKilled, withProcesses } from './other-process.ts'

const ROUNDS = 3
const ACKNOWLEDGED_PER_ROUND = 100
/** How many keys are replaced at the same time: in each round some are in the middle. */
const ROTATORS = 8
const ROTATIONS_PER_ROUND = 40
const WITH_KEY = '-with-key'

const GROUP = { group: 'persistence.killed', timeLimitMs: 180_000 }

/** A process that is killed loses nothing that it has acknowledged. */
export const killingCases: readonly HarnessCase[] = casesOf(GROUP, {
  'acknowledged: has every acknowledged pet exactly once after kill -9 of the writing process':
    withProcesses(async (harness, start) => {
      const url = await harness.emptyDatabase()
      const acknowledged = new Map<string, string>()
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const [id, name] of await writeUntilKilled(start, url, `round-${round}`))
          acknowledged.set(name, id)
      }
      await withPersistence(harness, url, async ({ pets }) => {
        const stored = await samePetsByName(pets)
        for (const [name, id] of acknowledged)
          expectEqual(`${stored.get(name)?.id}`, id, `the id of the acknowledged pet ${name}`)

        // The others too: a pet and its idempotency key are stored together.
        const keyed = [...stored].filter(([name]) => name.endsWith(WITH_KEY))
        assert.ok(keyed.length > 0, 'a pet must have been added with an idempotency key')
        for (const [name, known] of keyed) {
          const { pet, isReplay } = await repeat(pets, name)
          expectEqual(
            [pet.id, isReplay],
            [known.id, true],
            `the idempotency key of ${name} must still be known`,
          )
        }
      })
    }),
  'at-once: has a pet and its idempotency key, even if killed as soon as the add has resolved':
    withProcesses(async (harness, start) => {
      const url = await harness.emptyDatabase()
      await untilKilled(start(url, killedAfter(`pets.add({ name: 'Rex', categoryId: 1n })`)))
      await untilKilled(start(url, killedAfter(`pets.addWithKey({ name, categoryId: 1n }, key)`)))
      await withPersistence(harness, url, async ({ pets }) => {
        const names = (await listAll(pets)).map(({ name }) => name)
        expectEqual(names, ['Rex', `Mia${WITH_KEY}`], 'the pets whose add has resolved')
        expectEqual(
          (await repeat(pets, `Mia${WITH_KEY}`)).isReplay,
          true,
          'isReplay of a repeat with the key',
        )
      })
    }),
  'api-keys: has an API key, its rotation and its end, even if killed as soon as they resolved':
    withProcesses(async (harness, start) => {
      const url = await harness.emptyDatabase()
      await withPersistence(harness, url, (opened) => apiKeysOf(opened).add(aNewApiKey('old')))
      await untilKilled(start(url, killedAfter(`apiKeys.revoke('key_old', at)`)))
      const added = aNewApiKey('new')
      await untilKilled(
        start(url, killedAfter(`apiKeys.add({ ...${JSON.stringify(added)}, createdAt: at })`)),
      )
      const next = JSON.stringify(aNewApiKey('next'))
      const replacing = `apiKeys.replace('key_new', { ...${next}, createdAt: at }, at)`
      await untilKilled(start(url, killedAfter(replacing)))
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
          'the successor',
        )
      })
    }),
  'rotations: has a rotation as a whole, or nothing of it, after kill -9 in the middle of many':
    withProcesses(async (harness, start) => {
      const url = await harness.emptyDatabase()
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
      const url = await harness.emptyDatabase()
      const ids = Array.from({ length: USED }, (_, index) => `key_${index}`)
      await withPersistence(harness, url, async (opened) => {
        const apiKeys = apiKeysOf(opened)
        await inGroups(USED, (index) => apiKeys.add(aNewApiKey(`${index}`)))
      })
      for (let round = 0; round < ROUNDS; round += 1) {
        const firstMs = after(0).getTime() + round * MAX_USES
        const output = await usedUntilKilled(start, url, ids, firstMs)
        await withPersistence(harness, url, async (opened) => {
          const times = (await apiKeysOf(opened).list()).map(({ lastUsedAt }) => lastUsedAt)
          const [first, ...others] = new Set(times.map((time) => time?.getTime()))
          expectEqual([first, ...others], [first], 'the last use of each key of one call')
          const least = firstMs + output.length - 1
          assert.ok(Number(first) >= least, `the use ${least} was acknowledged, got ${first}`)
        })
      }
    }),
})

/** How many keys one call marks as used. */
const USED = 50
/** More calls than a process makes before it is killed. */
const MAX_USES = 1_000_000
/** So many calls have resolved before the process is killed. */
const USES_ACKNOWLEDGED = 5

/** Marks all keys as used, again and again, each time later, and prints a point for each call. */
const USER = `
  const [firstMs, ...ids] = values
  const { apiKeys } = await open({ url, mode: 'migrate' })
  for (let ms = Number(firstMs); ; ms += 1) {
    await apiKeys.markUsed(ids.map((id) => ({ id, at: new Date(ms) })))
    process.stdout.write('.')
  }`

/** Lets another process mark keys as used, kills it in the middle, and returns what it printed. */
async function usedUntilKilled(
  start: StartProcess,
  url: string,
  ids: readonly string[],
  firstMs: number,
): Promise<string> {
  let isBegun = false
  const user = start(url, USER, [`${firstMs}`, ...ids], (output, { kill }) => {
    if (isBegun || output.length < USES_ACKNOWLEDGED) return
    isBegun = true
    setTimeout(kill, Math.random() * 20)
  })
  return untilKilled(user)
}

/** A script that kills its process before anything can happen in it after this call. */
function killedAfter(call: string): string {
  return `
    const { pets, apiKeys } = await open({ url, mode: 'migrate' })
    const at = new Date(${after(0).getTime()})
    const name = 'Mia${WITH_KEY}'
    const key = { owner: 'writer', key: name, fingerprint: name, at }
    await ${call}.then(() => process.kill(process.pid, 'SIGKILL'))`
}

/**
 * Eight callers add pets, every second one with an idempotency key, and print each pet once its add
 * has resolved.
 */
const WRITER = `
  const [round, at] = values
  const { pets } = await open({ url, mode: 'migrate' })
  const write = async (caller) => {
    for (let number = caller; ; number += 8) {
      const name = round + '-' + number + (number % 2 ? '${WITH_KEY}' : '')
      const pet = { name, categoryId: BigInt(number), status: 'sold' }
      const key = { owner: 'writer', key: name, fingerprint: name, at: new Date(at) }
      const { id } = number % 2 ? (await pets.addWithKey(pet, key)).pet : await pets.add(pet)
      process.stdout.write(id + ' ' + name + '\\n')
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, caller) => write(caller)))`

/**
 * Lets another process write, kills it in the middle, and returns the ids and names that it
 * printed.
 */
async function writeUntilKilled(
  start: StartProcess,
  url: string,
  round: string,
): Promise<readonly (readonly [id: string, name: string])[]> {
  const writer = start(url, WRITER, [round, after(0).toISOString()], (output, { kill }) => {
    if (output.split('\n').length > ACKNOWLEDGED_PER_ROUND) kill()
  })
  const output = await untilKilled(writer)
  // The last line may be cut off.
  const lines = output.split('\n').slice(0, -1)
  return lines.map((line) => line.split(' ') as [string, string])
}

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
      process.stdout.write(last + '\\n')
    }
  }
  await Promise.all(Array.from({ length: Number(rotators) }, (_, rotator) => rotate(rotator)))`

/** Lets another process replace keys, kills it in the middle, and returns the ids of successors. */
async function rotateUntilKilled(
  start: StartProcess,
  url: string,
  round: number,
): Promise<readonly string[]> {
  const rotator = start(url, ROTATOR, [`${round}`, `${ROTATORS}`], (output, { kill }) => {
    if (output.split('\n').length > ROTATIONS_PER_ROUND) kill()
  })
  return (await untilKilled(rotator)).split('\n').slice(0, -1)
}

function repeat(pets: PetRepository, name: string): ReturnType<PetRepository['addWithKey']> {
  return pets.addWithKey(aNewPet({ name }), {
    owner: 'writer',
    key: name,
    fingerprint: name,
    at: after(0),
  })
}
