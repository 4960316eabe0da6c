import assert from 'node:assert/strict'
import type { Pet, PetInput, PetRepository } from '@pet-store/domain'
import { type ContractCase, casesOf, expectEqual } from '../contract-case.ts'
import { aNewPet, listAll } from '../new-pets.ts'

/** Callers get copies: changing one changes nothing stored. */
export const detachedCases: readonly ContractCase<PetRepository>[] = casesOf('pet.detached', {
  'add: stores its own copy: changing the pet from add has no effect': (pets) =>
    expectUnchanged(pets, async (added) => change(added)),
  'find: stores its own copy: changing the pet from find has no effect': (pets) =>
    expectUnchanged(pets, async ({ id }) => change(await pets.find(id))),
  'list: stores its own copy: changing a pet from list has no effect': (pets) =>
    expectUnchanged(pets, async () => change((await listAll(pets))[0])),
  'emptied-list: stores its own copy: emptying the list has no effect': (pets) =>
    expectUnchanged(pets, async () => {
      const list = (await listAll(pets)) as Pet[]
      list.length = 0
    }),
  'given: stores its own copy: changing the given pet afterwards has no effect': (pets) =>
    expectUnchanged(pets, async (_, given) => change(given)),
})

async function expectUnchanged(
  pets: PetRepository,
  work: (added: Pet, given: PetInput) => Promise<void>,
): Promise<void> {
  const given = aNewPet({ name: 'Rex', categoryId: 7n, status: 'available' })
  const added = await pets.add(given)
  const original = { ...added }
  await work(added, given)
  expectEqual(await pets.find(original.id), original, 'the stored pet must not change')
  expectEqual(await listAll(pets), [original], 'the listed pet must not change')
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
