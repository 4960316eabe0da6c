import assert from 'node:assert/strict'
import { INT64, type NewPet, PET_NAME, PET_STATUSES, type PetRepository } from '@pet-store/domain'
import { aNewPet } from '../a-new-pet.ts'
import type { ContractCase } from '../contract-case.ts'
import { MORE_THAN_ENOUGH } from './stored-pets.ts'

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'with quotes, backslashes and SQL': [`O'Hara`, `"Rex"`, '`Rex`', '\\', `\\'`, `'; DROP TABLE pets; --`],
  'with placeholders and wildcards': ['?', '??', '$1', ':name', '@p1', '%', '_', '{}', '\\u0000'],
  'that look like another type': ['007', '1e3', 'null', 'NULL', 'true', '2030-12-05T00:00:00Z', '{"a":1}', '[]'],
  'in upper and lower case': ['REX', 'rex', 'Straße', 'İstanbul'],
  'with emoji': ['🐕', '👩🏽‍🚒', '🏳️‍🌈', '🇺🇳'],
  'written from right to left': ['كلب', 'כלב', 'Rex \u202Eכלב\u202C'],
  // The first two look alike, one composed and one not, and so do the last two.
  'with combining sequences, not normalised': ['Zo\u00EB', 'Zoe\u0308', '\uAC00', '\u1100\u1161', '\u212B', '\u00C5'],
  'with white space around them, not trimmed': ['  Rex  ', '\tRex\r\n', '\uFEFFRex\uFEFF', '\u00A0Rex\u3000'],
  'with control characters and non-characters': ['\u0001Rex\u001F', 'Rex\u007F\u0085', 'Rex\uFFFF', '\u{10FFFF}'],
  'of the greatest length, four bytes a character': ['🐕'.repeat(PET_NAME.maxCodePoints)],
}

// Beyond 2^53 a JavaScript number is not exact any more, in either direction.
const DOUBLE = 2n ** 53n
const CATEGORY_IDS = [
  ...[0n, -1n, DOUBLE - 1n, DOUBLE, DOUBLE + 1n, -DOUBLE + 1n, -DOUBLE, -DOUBLE - 1n],
  ...[INT64.max, INT64.min],
]

/** Every field comes back exactly as given, from all three operations. */
export const fieldCases: readonly ContractCase<PetRepository>[] = [
  {
    name: 'gives back every field from add, find and list',
    run: (pets) => expectKept(pets, aNewPet({ name: 'Rex', categoryId: 7n, status: 'pending' })),
  },
  {
    name: 'leaves out a status that nobody gave, in add, find and list',
    run: (pets) => expectKept(pets, aNewPet({ name: 'Rex', categoryId: 7n })),
  },
  ...PET_STATUSES.map((status) => ({
    name: `keeps the status ${status}`,
    run: (pets: PetRepository) => expectKept(pets, aNewPet({ status })),
  })),
  ...Object.entries(NAMES).map(([kind, names]) => ({
    name: `keeps names ${kind}`,
    async run(pets: PetRepository) {
      for (const name of names) await expectKept(pets, aNewPet({ name }))
    },
  })),
  ...CATEGORY_IDS.map((categoryId) => ({
    name: `keeps the category id ${categoryId}`,
    run: (pets: PetRepository) => expectKept(pets, aNewPet({ categoryId })),
  })),
]

async function expectKept(pets: PetRepository, given: NewPet): Promise<void> {
  const added = await pets.add(given)
  const found = await pets.find(added.id)
  const listed = (await pets.list({ limit: MORE_THAN_ENOUGH })).find((pet) => pet.id === added.id)
  // The strict comparison tells a missing key from an undefined one, and 1 from 1n.
  const kept = { ...given, id: added.id }
  assert.deepEqual({ added, found, listed }, { added: kept, found: kept, listed: kept })
}
