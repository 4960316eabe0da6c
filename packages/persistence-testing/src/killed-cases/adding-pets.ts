import assert from 'node:assert/strict'
import type { PetRepository } from '@pet-store/domain'
import {
  killedAfter,
  untilKilled,
  untilKilledOnce,
} from '../adapter/other-process/killed-process.ts'
import { type StartProcess, withProcesses } from '../adapter/other-process/other-process.ts'
import { withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { listAll, samePetsByName } from '../test-data/stored-pets.ts'
import { after } from '../test-data/times.ts'

const ROUNDS = 3

const ACKNOWLEDGED_PER_ROUND = 100

const WITH_KEY = '-with-key'

const GROUP = { group: 'persistence.killed', timeLimitMs: 180_000 }

/** A process that is killed loses no pet whose add has resolved. */
export const killedWhileAddingCases: readonly HarnessCase[] = casesOf(GROUP, {
  'acknowledged: has every acknowledged pet exactly once after kill -9 of the writing process':
    withProcesses(async (harness, start) => {
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
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
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      for (const call of [
        `pets.add({ name: 'Rex', categoryId: 1n })`,
        `pets.addWithKey({ name, categoryId: 1n }, key)`,
        // A repeat may be the first to get the pet.
        `Promise.race([1, 2, 3].map(() => pets.addWithKey(lea, other)))`,
      ])
        await untilKilled(start(url, killedAfter(SET_UP, call)))
      await withPersistence(harness, url, async ({ pets }) => {
        const names = (await listAll(pets)).map(({ name }) => name)
        expectEqual(names, ['Rex', `Mia${WITH_KEY}`, 'Lea'], 'the pets whose add has resolved')
        expectEqual(
          (await repeat(pets, `Mia${WITH_KEY}`)).isReplay,
          true,
          'isReplay of a repeat with the key',
        )
      })
    }),
})

/** What the calls after which a process is killed use. */
const SET_UP = `
  const { pets } = await open({ url, mode: 'migrate' })
  const name = 'Mia${WITH_KEY}'
  const at = new Date(${after(0).getTime()})
  const key = { owner: 'writer', key: name, fingerprint: name, at }
  const lea = { name: 'Lea', categoryId: 1n }
  const other = { ...key, key: 'Lea' }`

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
      print(id + ' ' + name)
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
  const writer = start(url, WRITER, [round, after(0).toISOString()])
  const lines = await untilKilledOnce(writer, ACKNOWLEDGED_PER_ROUND)
  return lines.map((line) => line.split(' ') as [string, string])
}

function repeat(pets: PetRepository, name: string): ReturnType<PetRepository['addWithKey']> {
  const key = anIdempotencyKey({ owner: 'writer', key: name, fingerprint: name })
  return pets.addWithKey(aNewPet({ name }), key)
}
