import assert from 'node:assert/strict'
import type { Pet, PetInput, PetRepository } from '@pet-store/domain'
import { aNewPet } from '../a-new-pet.ts'
import type { ContractCase } from '../contract-case.ts'
import { listAll } from './stored-pets.ts'

/** Nobody outside holds a piece of what is stored: changing one's own copy changes nothing else. */
export const detachedCases: readonly ContractCase<PetRepository>[] = [
  {
    name: 'keeps what was stored when the pet from add is changed',
    run: (pets) => expectUnchanged(pets, async (added) => spoil(added)),
  },
  {
    name: 'keeps what was stored when the pet from find is changed',
    run: (pets) => expectUnchanged(pets, async ({ id }) => spoil(await pets.find(id))),
  },
  {
    name: 'keeps what was stored when a pet from list is changed',
    run: (pets) => expectUnchanged(pets, async () => spoil((await listAll(pets))[0])),
  },
  {
    name: 'keeps what was stored when the list itself is emptied',
    run: (pets) =>
      expectUnchanged(pets, async () => {
        const list = (await listAll(pets)) as Pet[]
        list.length = 0
      }),
  },
  {
    name: 'keeps what was stored when the given pet is changed afterwards',
    run: (pets) => expectUnchanged(pets, async (_, given) => spoil(given)),
  },
]

async function expectUnchanged(
  pets: PetRepository,
  change: (added: Pet, given: PetInput) => Promise<void>,
): Promise<void> {
  const given = aNewPet({ name: 'Rex', categoryId: 7n, status: 'available' })
  const added = await pets.add(given)
  const original = { ...added }
  await change(added, given)
  assert.deepEqual(await pets.find(original.id), original)
  assert.deepEqual(await listAll(pets), [original])
}

/** Does what a caller in JavaScript may do; a frozen object, which refuses, is detached too. */
function spoil(pet: PetInput | undefined): void {
  assert.ok(pet)
  const { id } = pet as Partial<Pet>
  Reflect.set(pet, 'name', 'spoiled')
  Reflect.set(pet, 'categoryId', -99n)
  Reflect.deleteProperty(pet, 'status')
  if (id !== undefined) Reflect.set(pet, 'id', id + 1000n)
}
