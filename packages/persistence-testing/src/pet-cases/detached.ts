import assert from 'node:assert/strict'
import type { Pet, PetInput, PetRepository } from '@pet-store/domain'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { tryToChange } from '../case/try-to-change.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { addKeyed, aNewPet } from '../test-data/new-pets.ts'
import { listAll } from '../test-data/stored-pets.ts'

/** Callers get copies: changing one changes nothing stored. */
export const detachedCases: readonly ContractCase<PetRepository>[] = casesOf('pet.detached', {
  'given: stores its own copy: changing the given pet afterwards has no effect': (pets) =>
    expectUnchanged(pets, async (_, given) => change(given)),
  'returned: stores its own copy: changing a pet that add, find or list returned has no effect':
    async (pets) => {
      await expectUnchanged(pets, async (added) => change(added))
      await expectUnchanged(pets, async ({ id }) => change(await pets.find(id)))
      await expectUnchanged(pets, async () => change((await listAll(pets)).at(-1)))
      await expectUnchanged(pets, async () => {
        const listed = (await listAll(pets)) as Pet[]
        tryToChange(() => void listed.splice(0))
      })
    },
  'arguments: changes no object that it is given, and takes frozen ones': async (pets) => {
    const pet = Object.freeze(aNewPet({ categoryId: 7n, status: 'sold' }))
    const key = Object.freeze(anIdempotencyKey())
    const cancellation = Object.freeze({ aborted: false })
    const plain = await pets.add(pet, cancellation)
    const { pet: keyed } = await pets.addWithKey(pet, key, cancellation)
    const repeat = await pets.addWithKey(pet, key)
    expectEqual(
      repeat,
      { pet: keyed, isReplay: true },
      'a repeat with the same objects must return the pet',
    )
    const query = Object.freeze({ status: 'sold', after: plain.id - 1n, limit: 9 } as const)
    for (const expected of [plain, plain])
      expectEqual(
        await pets.list(query),
        [expected, keyed],
        'list must not change the query, and return the same pets again',
      )
    const unfrozen = () =>
      [
        aNewPet({ status: 'pending' }),
        anIdempotencyKey({ key: 'unfrozen' }),
        { status: 'pending', after: keyed.id, limit: 9 },
      ] as const
    const given = unfrozen()
    await pets.add(given[0])
    await pets.addWithKey(given[0], given[1])
    await pets.list(given[2])
    expectEqual(given, unfrozen(), 'a pet, a key and a query that were given must not change')
  },
  'repeated: stores its own copy: changing a pet of a repeat with its key has no effect': async (
    pets,
  ) => {
    const given = aNewPet({ categoryId: 7n, status: 'available' })
    const key = anIdempotencyKey()
    const original = { ...(await pets.addWithKey(given, key)).pet }
    for (let repeats = 0; repeats < 3; repeats += 1) {
      const { pet } = await pets.addWithKey(given, key)
      expectEqual(pet, original, 'a repeat must return the stored pet')
      change(pet)
    }
    expectEqual(await pets.find(original.id), original, 'the stored pet must not change')
    expectEqual(await listAll(pets), [original], 'the listed pet must not change')
  },
})

async function expectUnchanged(
  pets: PetRepository,
  work: (added: Pet, given: PetInput) => Promise<void>,
): Promise<void> {
  for (const add of [pets.add, addKeyed.bind(undefined, pets)]) {
    const given = aNewPet({ name: 'Rex', categoryId: 7n, status: 'available' })
    const added = await add.call(pets, given)
    const original = { ...added }
    await work(added, given)
    expectEqual(await pets.find(original.id), original, 'the stored pet must not change')
    expectEqual((await listAll(pets)).at(-1), original, 'the listed pet must not change')
  }
}

/** Does what a caller in JavaScript may do; a frozen object, which rejects it, is detached too. */
function change(pet: PetInput | undefined): void {
  assert.ok(pet, 'the pet must be found')
  const { id } = pet as Partial<Pet>
  Reflect.set(pet, 'name', 'changed')
  Reflect.set(pet, 'categoryId', -99n)
  Reflect.deleteProperty(pet, 'status')
  if (id !== undefined) Reflect.set(pet, 'id', id + 1000n)
}
