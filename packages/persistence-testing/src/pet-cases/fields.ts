import { INT64, type NewPet, PET_NAME, PET_STATUSES, type PetInput, type PetRepository } from '@pet-store/domain'
import { type ContractCase, casesOf, expectEqual } from '../contract-case.ts'
import { aNewPet, listAll } from '../new-pets.ts'

const NAMES: Readonly<Record<string, readonly [id: string, names: readonly string[]]>> = {
  'with quotes, backslashes and SQL': ['sql', [`O'Hara`, `"Rex"`, '`Rex`', '\\', `\\'`, `'; DROP TABLE pets; --`]],
  'with placeholders and wildcards': ['placeholders', ['?', '??', '$1', ':name', '@p1', '%', '_', '{}', '\\u0000']],
  'that look like another type': [
    'other-types',
    ['007', '1e3', 'null', 'NULL', 'true', '2030-12-05T00:00:00Z', '{"a":1}', '[]'],
  ],
  'in upper and lower case': ['case', ['REX', 'rex', 'Straße', 'İstanbul']],
  'with emoji': ['emoji', ['🐕', '👩🏽‍🚒', '🏳️‍🌈', '🇺🇳']],
  'written from right to left': ['right-to-left', ['كلب', 'כלב', 'Rex \u202Eכלב\u202C']],
  // The first two look alike, one composed and one not, and so do the last two.
  'with combining sequences, not normalised': [
    'not-normalised',
    ['Zo\u00EB', 'Zoe\u0308', '\uAC00', '\u1100\u1161', '\u212B', '\u00C5'],
  ],
  'with white space around them, not trimmed': [
    'not-trimmed',
    ['  Rex  ', '\tRex\r\n', '\uFEFFRex\uFEFF', '\u00A0Rex\u3000'],
  ],
  'with control characters and non-characters': [
    'control-characters',
    ['\u0001Rex\u001F', 'Rex\u007F\u0085', 'Rex\uFFFF', '\u{10FFFF}'],
  ],
  'of the maximum length, four bytes per character': ['longest', ['🐕'.repeat(PET_NAME.maxCodePoints)]],
}

// Beyond 2^53 a JavaScript number is no longer exact, in either direction.
const DOUBLE = 2n ** 53n
const CATEGORY_IDS = [
  ...[0n, -1n, DOUBLE - 1n, DOUBLE, DOUBLE + 1n, -DOUBLE + 1n, -DOUBLE, -DOUBLE - 1n],
  ...[INT64.max, INT64.min],
]

/** A pet with every field: one that is missing here does not compile. */
const ALL = { name: 'Rex', categoryId: 7n, status: 'pending' } as const

/** Every field is returned exactly as given, by all three operations. */
export const fieldCases: readonly ContractCase<PetRepository>[] = [
  ...casesOf<PetRepository>('pet.fields', {
    'all: returns every field from add, find and list': (pets) =>
      expectUnchanged(pets, aNewPet(ALL satisfies Required<PetInput>)),
    'no-status: returns no status from add, find and list when none was given': (pets) =>
      expectUnchanged(pets, aNewPet({ name: 'Rex', categoryId: 7n })),
  }),
  ...casesOf<PetRepository>(
    'pet.fields.status',
    PET_STATUSES.map((status) => [
      `${status}: returns the status ${status}`,
      (pets) => expectUnchanged(pets, aNewPet({ status })),
    ]),
  ),
  ...casesOf<PetRepository>(
    'pet.fields.name',
    Object.entries(NAMES).map(([kind, [id, names]]) => [
      `${id}: returns names ${kind}`,
      async (pets) => {
        for (const name of names) await expectUnchanged(pets, aNewPet({ name }))
      },
    ]),
  ),
  ...casesOf<PetRepository>(
    'pet.fields.category',
    CATEGORY_IDS.map((categoryId) => [
      `${categoryId}: returns the category id ${categoryId}`,
      (pets) => expectUnchanged(pets, aNewPet({ categoryId })),
    ]),
  ),
]

async function expectUnchanged(pets: PetRepository, given: NewPet): Promise<void> {
  const added = await pets.add(given)
  const found = await pets.find(added.id)
  const listed = (await listAll(pets)).find((pet) => pet.id === added.id)
  // The strict comparison tells a missing key from an undefined one, and 1 from 1n.
  const expected = { ...given, id: added.id }
  expectEqual(
    { added, found, listed },
    { added: expected, found: expected, listed: expected },
    'add, find and list must return the fields of the pet exactly as given',
  )
}
