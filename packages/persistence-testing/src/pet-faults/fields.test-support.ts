import { type NewPet, PET_STATUSES, type PetInput } from '@pet-store/domain'
import { answering, type PetFault, storing } from './broken-pets.test-support.ts'

const OPERATIONS = ['add', 'find', 'list'] as const
const FIELDS = ['name', 'categoryId', 'status'] as const

function storesName(what: string, kinds: readonly string[], change: (name: string) => string): PetFault {
  return {
    name: `stores names ${what}`,
    caughtBy: kinds.map((kind) => `keeps names ${kind}`),
    over: (pets) => storing(pets, (pet) => ({ ...pet, name: change(pet.name) })),
  }
}

function storesCategory(what: string, values: readonly bigint[], change: (id: bigint) => unknown): PetFault {
  return {
    name: `stores category ids ${what}`,
    caughtBy: values.map((value) => `keeps the category id ${value}`),
    over: (pets) => storing(pets, (pet) => ({ ...pet, categoryId: change(pet.categoryId) })),
  }
}

function without(field: keyof PetInput, pet: object): object {
  return Object.fromEntries(Object.entries(pet).filter(([key]) => key !== field))
}

export const fieldFaults: readonly PetFault[] = [
  ...OPERATIONS.flatMap((operation) =>
    FIELDS.map(
      (field): PetFault => ({
        name: `loses the ${field} in ${operation}`,
        caughtBy: ['gives back every field from add, find and list'],
        over: (pets) => answering(pets, operation, (pet) => without(field, pet)),
      }),
    ),
  ),
  ...OPERATIONS.flatMap((operation) =>
    [undefined, null, 'available'].map(
      (status): PetFault => ({
        name: `answers an absent status as ${status} in ${operation}`,
        caughtBy: ['leaves out a status that nobody gave, in add, find and list'],
        over: (pets) => answering(pets, operation, (pet) => ({ status, ...pet })),
      }),
    ),
  ),
  {
    name: 'publishes a field of its own',
    caughtBy: ['gives back every field from add, find and list'],
    over: (pets) => answering(pets, 'find', (pet) => ({ ...pet, createdAt: 0 })),
  },
  ...PET_STATUSES.map(
    (status): PetFault => ({
      name: `does not know the status ${status}`,
      caughtBy: [`keeps the status ${status}`],
      over: (pets) => storing(pets, (pet: NewPet) => (pet.status === status ? without('status', pet) : pet)),
    }),
  ),
  storesName('with quotes doubled', ['with quotes, backslashes and SQL'], (name) => name.replaceAll("'", "''")),
  storesName('without backslashes', ['with quotes, backslashes and SQL'], (name) => name.replaceAll('\\', '')),
  storesName('with placeholders filled', ['with placeholders and wildcards'], (name) => name.replaceAll('?', 'NULL')),
  storesName('as numbers where they can', ['that look like another type'], (name) => `${Number(name) || name}`),
  storesName('in lower case', ['in upper and lower case'], (name) => name.toLowerCase()),
  storesName('in three bytes a character', ['with emoji'], (name) => name.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '?')),
  storesName('with pictures joined no more', ['with emoji'], (name) => name.replaceAll('\u200D', '')),
  storesName('in visual order', ['written from right to left'], (name) => [...name].toReversed().join('')),
  storesName('in NFC', ['with combining sequences, not normalised'], (name) => name.normalize('NFC')),
  storesName('in NFD', ['with combining sequences, not normalised'], (name) => name.normalize('NFD')),
  storesName('trimmed', ['with white space around them, not trimmed'], (name) => name.trim()),
  storesName('without a byte order mark', ['with white space around them, not trimmed'], (name) =>
    name.replace(/^\uFEFF/, ''),
  ),
  storesName('without control characters', ['with control characters and non-characters'], (name) =>
    name.replaceAll(/\p{Cc}/gu, ''),
  ),
  storesName('without non-characters', ['with control characters and non-characters'], (name) =>
    name.replaceAll(/\p{Noncharacter_Code_Point}/gu, '\uFFFD'),
  ),
  storesName('cut to 1,000 UTF-16 units', ['of the greatest length, four bytes a character'], (name) =>
    name.slice(0, 1000),
  ),
  storesCategory('of 0 as 1, as if nobody had given one', [0n], (id) => id || 1n),
  storesCategory('without a sign', [-1n, -(2n ** 53n), -(2n ** 63n)], (id) => (id < 0n ? -id : id)),
  storesCategory('as doubles', [2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 1n], (id) => BigInt(Number(id))),
  storesCategory('as numbers where they are exact', [2n ** 53n - 1n, -(2n ** 53n) + 1n, 2n ** 53n], (id) =>
    BigInt(Number(id)) === id ? Number(id) : id,
  ),
  storesCategory('in 32 bits', [2n ** 53n, -(2n ** 53n), -(2n ** 63n)], (id) => BigInt.asIntN(32, id)),
]
