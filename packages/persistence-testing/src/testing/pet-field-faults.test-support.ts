import {
  type NewPet,
  PET_FIELDS,
  PET_STATUSES,
  type Pet,
  type PetInput,
  type PetRepository,
} from '@pet-store/domain'
import { type FakePets, OPERATIONS, petFaults, returns, stores } from './fake-pets.test-support.ts'
import type { Fault, Faults } from './fault.test-support.ts'

const FIELDS = Object.keys(PET_FIELDS) as (keyof PetInput)[]

/** The case about a field has its name; one about categories is older than this rule. */
const caseOf = (field: keyof PetInput) => (field === 'categoryId' ? 'category' : field)

const without = (field: keyof PetInput, pet: object): object =>
  Object.fromEntries(Object.entries(pet).filter(([key]) => key !== field))

/** Which other name is stored. */
const NAME_CHANGES: Readonly<Record<string, (name: string) => string>> = {
  'with quotes doubled': (name) => name.replaceAll("'", "''"),
  'without backslashes': (name) => name.replaceAll('\\', ''),
  'with placeholders filled': (name) => name.replaceAll('?', 'NULL'),
  'as numbers if possible': (name) => `${Number(name) || name}`,
  'in lower case': (name) => name.toLowerCase(),
  'with three bytes per character': (name) => name.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '?'),
  'without joiners': (name) => name.replaceAll('\u200D', ''),
  'in visual order': (name) => [...name].toReversed().join(''),
  'in NFC': (name) => name.normalize('NFC'),
  'in NFD': (name) => name.normalize('NFD'),
  trimmed: (name) => name.trim(),
  'without a byte order mark': (name) => name.replace(/^\uFEFF/, ''),
  'without control characters': (name) => name.replaceAll(/\p{Cc}/gu, ''),
  'without non-characters': (name) => name.replaceAll(/\p{Noncharacter_Code_Point}/gu, '\uFFFD'),
  'cut to 1,000 UTF-16 units': (name) => name.slice(0, 1000),
}

/** Which other name is stored if it has a rarely used character. */
const RARE_NAME_CHANGES: Readonly<Record<string, (name: string) => string>> = {
  'without private characters': (name) => name.replaceAll(/\p{Co}/gu, ''),
  'without tags': (name) => name.replaceAll(/[\u{E0000}-\u{E007F}]/gu, ''),
  'with a capital sharp s as a small one': (name) => name.replaceAll('ẞ', 'ß'),
  'with line separators as line feeds': (name) => name.replaceAll(/[\u2028\u2029]/g, '\n'),
}

/** Which other category id is stored. */
const CATEGORY_CHANGES: Readonly<Record<string, (id: bigint) => unknown>> = {
  'of 0 as 1, as if it were absent': (id) => id || 1n,
  'without a sign': (id) => (id < 0n ? -id : id),
  'as doubles': (id) => BigInt(Number(id)),
  'as numbers if exact': (id) => (BigInt(Number(id)) === id ? Number(id) : id),
  'in 32 bits': (id) => BigInt.asIntN(32, id),
}

/** Stores something else in a field. */
const changes = <Field extends keyof PetInput>(
  group: string,
  field: Field,
  all: Readonly<Record<string, (value: NonNullable<PetInput[Field]>) => unknown>>,
): readonly Faults<FakePets>[] =>
  Object.entries(all).map(([how, change]) => ({
    [`${group}: stores it ${how}`]: stores((pet) => ({
      ...pet,
      [field]: change(pet[field] as NonNullable<PetInput[Field]>),
    })),
  }))

/** Stores another pet than `addWithKey` is given. */
function storesKeyed(change: (pet: NewPet) => object) {
  return (_: FakePets, { addWithKey }: FakePets): Partial<FakePets> => ({
    addWithKey: (pet, key, cancellation) => addWithKey(change(pet) as NewPet, key, cancellation),
  })
}

export const petFieldFaults: readonly Fault<PetRepository>[] = petFaults(
  'pet.fields',
  ...OPERATIONS.flatMap((broken) => {
    const gives = (fault: string, change: (pet: Pet) => object): Faults<FakePets> => ({
      [`${fault} in ${broken}`]: returns(change, [broken]),
    })
    return [
      ...FIELDS.map((field) =>
        gives(`all ${caseOf(field)}: loses the ${field}`, (pet) => without(field, pet)),
      ),
      ...[undefined, null, 'available'].map((status) =>
        gives(`status: returns ${status} for an absent status`, (pet) => ({ status, ...pet })),
      ),
    ]
  }),
  ...PET_STATUSES.map(
    (status): Faults<FakePets> => ({
      [`status: does not know the status ${status}`]: stores((pet) =>
        pet.status === status ? without('status', pet) : pet,
      ),
    }),
  ),
  { 'all: returns a field of its own': returns((pet) => ({ ...pet, createdAt: 0 })) },
  ...changes('name', 'name', NAME_CHANGES),
  ...changes('every-character', 'name', RARE_NAME_CHANGES),
  ...changes('category', 'categoryId', CATEGORY_CHANGES),
  {
    'category: stores it as a double under an idempotency key': storesKeyed(
      ({ categoryId, ...pet }) => ({
        ...pet,
        categoryId: BigInt(Number(categoryId)),
      }),
    ),
    'name: stores it trimmed under an idempotency key': storesKeyed((pet) => ({
      ...pet,
      name: pet.name.trim(),
    })),
  },
)
