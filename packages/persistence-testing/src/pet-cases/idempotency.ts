import assert from 'node:assert/strict'
import {
  IDEMPOTENCY_KEY_LIFETIME_MS,
  type IdempotencyKey,
  type NewPet,
  PET_NAME,
  type Pet,
  type PetRepository,
} from '@pet-store/domain'
import { aNewPet } from '../a-new-pet.ts'
import type { ContractCase } from '../contract-case.ts'
import { idsOf, listAll } from './stored-pets.ts'

const NOON = Date.parse('2027-01-01T12:00:00Z')

/** Under one key a pet is added once, for a day. */
export const idempotencyCases: readonly ContractCase<PetRepository>[] = [
  {
    name: 'adds once under one key, and gives the same pet to whoever asks again',
    async run(pets) {
      const bare = await add(pets, aNewPet(), under({ key: 'bare' }))
      const full = await add(pets, aNewPet({ name: 'Mia', categoryId: -(2n ** 63n), status: 'sold' }), under({}))
      for (const at of [NOON, NOON + 1, NOON + IDEMPOTENCY_KEY_LIFETIME_MS - 1]) {
        assert.deepEqual(await add(pets, aNewPet(), under({ key: 'bare', at })), bare)
        assert.deepEqual(await add(pets, aNewPet({ name: 'Mia', status: 'sold' }), under({ at })), full)
      }
      assert.deepEqual(await listAll(pets), [bare, full])
    },
  },
  {
    name: 'says which call stored the pet and which one repeated it',
    async run(pets) {
      const { isReplay } = await pets.addWithKey(aNewPet(), under({}))
      assert.equal(isReplay, false)
      const repeat = await pets.addWithKey(aNewPet(), under({}))
      assert.equal(repeat.isReplay, true)
    },
  },
  {
    name: 'adds once when many ask at the same time under one key',
    async run(pets) {
      const added = await Promise.all(Array.from({ length: 50 }, () => add(pets, aNewPet(), under({}))))
      assert.equal(new Set(idsOf(added)).size, 1)
      assert.deepEqual(await listAll(pets), added.slice(0, 1))
    },
  },
  {
    name: 'refuses other content under a key that was used, and stores nothing',
    async run(pets) {
      const first = await add(pets, aNewPet(), under({}))
      for (const at of [NOON, NOON + IDEMPOTENCY_KEY_LIFETIME_MS - 1]) {
        await assert.rejects(async () => add(pets, aNewPet({ name: 'Mia' }), under({ fingerprint: 'Mia', at })), {
          name: 'PetError',
          code: 'idempotency_key_reused',
        })
      }
      assert.deepEqual(await listAll(pets), [first])
      assert.deepEqual(await add(pets, aNewPet(), under({})), first)
    },
  },
  {
    name: 'tells the keys of different owners apart, and different keys of one owner',
    async run(pets) {
      const keys = [under({}), under({ owner: 'kiosk' }), under({ key: 'other' }), under({ owner: 'shopk', key: 'ey' })]
      const added = []
      for (const key of keys) added.push(await add(pets, aNewPet(), key))
      assert.deepEqual(await listAll(pets), added)
      assert.equal(added.length, 4)
    },
  },
  {
    name: 'refuses other content under one key also when both come at the same time',
    async run(pets) {
      const names = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'Rex' : 'Mia'))
      const results = await Promise.allSettled(
        names.map(async (name) => add(pets, aNewPet({ name }), under({ fingerprint: name }))),
      )
      const [first, ...others] = await listAll(pets)
      assert.ok(first)
      assert.deepEqual(others, [])
      for (const [index, result] of results.entries()) {
        if (names[index] === first.name) assert.deepEqual(result, { status: 'fulfilled', value: first })
        else assert.equal(result.status === 'rejected' && result.reason.code, 'idempotency_key_reused')
      }
    },
  },
  {
    name: 'tells keys apart by their case, and by the last of 255 characters',
    async run(pets) {
      const keys = ['k', 'K', `k'"\\%_`, 'k'.repeat(255), `${'k'.repeat(254)}l`]
      const added = []
      for (const key of keys) added.push(await add(pets, aNewPet(), under({ key })))
      assert.deepEqual(await listAll(pets), added)
      assert.equal(added.length, keys.length)
    },
  },
  {
    name: 'compares content to the last character, whatever its case and form',
    async run(pets) {
      const contents = ['rex', 'Zo\u00EB', '🐕'.repeat(PET_NAME.maxCodePoints)]
      const others = ['REX', 'Zoe\u0308', `${'🐕'.repeat(PET_NAME.maxCodePoints - 1)}🐈`]
      for (const [index, fingerprint] of contents.entries()) {
        const key = `${index}`
        const stored = await add(pets, aNewPet(), under({ key, fingerprint }))
        await assert.rejects(async () => add(pets, aNewPet(), under({ key, fingerprint: others[index] ?? '' })), {
          name: 'PetError',
          code: 'idempotency_key_reused',
        })
        assert.deepEqual(await add(pets, aNewPet(), under({ key, fingerprint })), stored)
      }
    },
  },
  {
    name: 'takes a key for new after a day',
    async run(pets) {
      const first = await add(pets, aNewPet(), under({}))
      const nextDay = under({ at: NOON + IDEMPOTENCY_KEY_LIFETIME_MS })
      const second = await add(pets, aNewPet(), nextDay)
      assert.notEqual(second.id, first.id)
      assert.deepEqual(await add(pets, aNewPet(), nextDay), second)
      const later = under({ fingerprint: 'Mia', at: NOON + 2 * IDEMPOTENCY_KEY_LIFETIME_MS })
      const third = await add(pets, aNewPet({ name: 'Mia' }), later)
      assert.deepEqual(await listAll(pets), [first, second, third])
    },
  },
  {
    name: 'uses no key up for an add that is rejected',
    async run(pets) {
      const broken = Object.defineProperty({ ...aNewPet() }, 'name', {
        enumerable: true,
        get() {
          throw new Error('name cannot be read')
        },
      })
      await assert.rejects(async () => add(pets, broken, under({})))
      const added = await add(pets, aNewPet({ name: 'Mia' }), under({ fingerprint: 'Mia' }))
      assert.deepEqual(await listAll(pets), [added])
    },
  },
]

async function add(pets: PetRepository, pet: NewPet, key: IdempotencyKey): Promise<Pet> {
  return (await pets.addWithKey(pet, key)).pet
}

function under(fields: { owner?: string; key?: string; fingerprint?: string; at?: number }): IdempotencyKey {
  const { owner = 'shop', key = 'key', fingerprint = 'Rex', at = NOON } = fields
  return { owner, key, fingerprint, at: new Date(at) }
}
