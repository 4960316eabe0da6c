import assert from 'node:assert/strict'
import { PET_NAME, type Pet, type PetRepository } from '@pet-store/domain'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { wait } from '../case/wait.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { addKeyed, aNewPet } from '../test-data/new-pets.ts'
import { ascending, idsOf } from '../test-data/stored-pets.ts'

/** Their names and fingerprints take more than the 16 MiB that wait at most in some adapters. */
const PETS = 2_200
const CANCELLED_PETS = 3_000
const LISTED = 800
const AT_ONCE = 50
const NAME = '🐕'.repeat(PET_NAME.maxCodePoints - 10)
/** An adapter may wait for the disk after each of them. */
const TIME_LIMIT_MS = 120_000

/** One add may be late on a busy machine; nothing that was cancelled waits as long as this. */
const TAKEN_WITHIN_MS = 10_000

/** A limit of what waits counts what waits, and not all that was ever given. */
export const manyBytesCases: readonly ContractCase<PetRepository>[] = casesOf(
  { group: 'pet.add', timeLimitMs: TIME_LIMIT_MS },
  {
    'megabytes: goes on after pets of more megabytes than may wait at a time': async (pets) => {
      const add = (index: number) => addKeyed(pets, aNewPet({ name: `${index} ${NAME}` }))
      const added = await inGroups(PETS, add, AT_ONCE)
      const last = added.at(-1)
      expectEqual(await pets.find(last?.id ?? 0n), last, 'the last of many pets with long names')
      // So long that it is still under way when the add has resolved.
      const query = { after: ascending(idsOf(added)).at(-LISTED), limit: PETS }
      const before = pets.list(query)
      const next = await pets.add(aNewPet({ name: NAME }))
      const listed = await pets.list(query)
      await before
      expectEqual(
        idsOf(listed).at(-1),
        next.id,
        'the last pet of a list that begins after its add, beside an equal list that began before',
      )
    },
    'cancelled-megabytes: goes on after adds of more megabytes than may wait that were cancelled':
      async (pets) => {
        const cancelled = { aborted: true }
        const pet = aNewPet({ name: NAME })
        const reject = (index: number) => {
          const key = anIdempotencyKey({ key: `${index}`, fingerprint: NAME })
          const call = () =>
            index % 2 === 0 ? pets.add(pet, cancelled) : pets.addWithKey(pet, key, cancelled)
          return expectRejection(call, 'a cancelled add must reject', { outcome: 'not_stored' })
        }
        await inGroups(CANCELLED_PETS, reject, AT_ONCE)
        // As long as those: a shorter one may find room that is left.
        const added = [
          await untilTaken(() => pets.add(pet)),
          await untilTaken(() => addKeyed(pets, pet)),
        ]
        expectEqual(await pets.list({ limit: 9 }), added, 'the pets after many cancelled adds')
      },
  },
)

/** Repeats an add that was not stored: that one was rejected does not say why. */
async function untilTaken(add: () => Promise<Pet>): Promise<Pet> {
  const start = performance.now()
  for (;;) {
    try {
      return await add()
    } catch (error) {
      if (Object(error).outcome !== 'not_stored') throw error
      if (performance.now() - start > TAKEN_WITHIN_MS)
        assert.fail(`no add must reject after many that were cancelled, but each does: ${error}`)
      await wait(100)
    }
  }
}
