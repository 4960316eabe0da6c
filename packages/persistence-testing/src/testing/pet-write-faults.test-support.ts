import {
  INT64,
  type NewPet,
  PET_FIELDS,
  PET_STATUSES,
  type Pet,
  type PetInput,
  type PetRepository,
} from '@pet-store/domain'
import { aNewPet } from '../new-pets.ts'
import {
  dated,
  type FakePets,
  OPERATIONS,
  petFaults,
  returns,
  stores,
  textOf,
} from './fake-pets.test-support.ts'
import { BrokenOnPurpose, broken, type Fault, type Faults, pause } from './fault.test-support.ts'

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

const fieldFaults = petFaults(
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

const addingFaults = petFaults('pet.add', {
  'ids: returns ids as numbers': returns((pet) => ({ ...pet, id: Number(pet.id) })),
  'ids: returns ids beyond int64': returns((pet) => ({ ...pet, id: INT64.max + pet.id })),
  'ids: gives decreasing ids': returns((pet) => ({ ...pet, id: 1000n - pet.id })),
  'ids: gives an id twice': returns((pet) => ({ ...pet, id: pet.id / 2n })),
  'ids: treats an equal pet as the same pet': ({ memory }, { add }) => ({
    add: async (pet) => [...memory.pets.values()].find(({ name }) => name === pet.name) ?? add(pet),
  }),
  'concurrent: reads the last id, waits, and writes it': ({ memory }, { add }) => ({
    async add(pet) {
      const id = memory.lastId
      await pause()
      memory.lastId = id
      return add(pet)
    },
  }),
  'concurrent: gives concurrent callers decreasing ids': (_, { add }) => {
    let busy = 0
    return {
      async add(pet) {
        const isAlone = busy++ === 0
        await pause()
        const stored = await add(pet)
        busy -= 1
        return isAlone ? stored : { ...stored, id: 1000n - stored.id }
      },
    }
  },
  'visible-at-once: lists pets later than it adds them': ({ memory }, { list }) => ({
    list: (query) => list(query).then((found) => found.filter(({ id }) => id !== memory.lastId)),
  }),
  'visible-at-once: lists pets up to the oldest one that is being added': (_, { add, list }) => {
    const running = new Set<bigint>()
    return {
      async add(pet, cancellation) {
        const stored = await add(pet, cancellation)
        running.add(stored.id)
        for (let turns = Number(stored.id % 3n) * 10; turns > 0; turns -= 1) await pause()
        running.delete(stored.id)
        return stored
      },
      list: async (query) =>
        (await list(query)).filter(({ id }) => [...running].every((one) => id < one)),
    }
  },
  'visible-at-once: lists pages of a status later than it adds pets': ({ memory }, { list }) => ({
    list: async (query) =>
      (await list(query)).filter(
        ({ id }) => query.status === undefined || query.after === undefined || id !== memory.lastId,
      ),
  }),
  'visible-at-once: finds pets later than it adds them': ({ memory }, { find }) => ({
    find: async (id) => (id === memory.lastId ? undefined : find(id)),
  }),
  'visible-at-once: lists from a cache that add alone clears': (_, { add, list }) => {
    let cached: ReturnType<typeof list> | undefined
    return {
      async add(pet, cancellation) {
        const added = await add(pet, cancellation)
        cached = undefined
        return added
      },
      list(query) {
        cached ??= list(query)
        return cached
      },
    }
  },
  'rejected: leaves an empty pet behind when an add fails': (_, { add }) => ({
    add: (pet) => add(pet).catch((error) => add(aNewPet()).then(() => Promise.reject(error))),
  }),
  'rejected: returns some pet when an add fails': (_, { add }) => ({
    add: (pet) => add(pet).catch(() => ({ id: 1n, name: 'Rex', categoryId: 1n })),
  }),
  'rejected: rejects everything after one failed add': (_, { add }) => {
    let hasFailed = false
    return {
      add: (pet) =>
        hasFailed
          ? Promise.reject(new BrokenOnPurpose('the transaction is aborted'))
          : add(pet).catch((error) => {
              hasFailed = true
              throw error
            }),
    }
  },
  'cancelled: stores a cancelled add a little later': (_, { add }) => ({
    async add(pet, cancellation) {
      if (cancellation?.aborted) setTimeout(() => void add(pet), 500)
      return add(pet, cancellation)
    },
  }),
  'cancelled-meanwhile: rejects an add that is cancelled in the queue, and stores it': (
    _,
    { add },
  ) => ({
    async add(pet, cancellation) {
      await pause()
      setTimeout(() => void add(pet), 500)
      return cancellation?.aborted ? add(pet, cancellation) : { ...pet, id: 1n }
    },
  }),
  'cancelled-meanwhile: uses up the key of an add that is cancelled in the queue': (
    { memory },
    original,
  ) => ({
    async addWithKey(pet, key, cancellation) {
      await pause()
      if (cancellation?.aborted) memory.keys.set(textOf(key), { key: dated(key), id: 1n })
      return original.addWithKey(pet, key, cancellation)
    },
  }),
  'cancelled: looks at a copy of the cancellation, which an AbortSignal has none of': (
    _,
    { add },
  ) => ({
    add: (pet, cancellation) => add(pet, cancellation && { ...cancellation }),
  }),
  'cancelled: ignores a cancellation': (_, { add, addWithKey }) => ({
    add: (pet) => add(pet),
    addWithKey: (pet, key) => addWithKey(pet, key),
  }),
  'rejected-beside-others: stores a pet and rejects its add': (_, { add }) => ({
    add: (pet) => add(pet).then((stored) => (stored.categoryId > INT64.max ? broken() : stored)),
  }),
  'rejected-beside-others: adds in batches that fail as a whole': (_, { add }) => {
    let batch: Promise<unknown> = Promise.resolve()
    return {
      add(pet) {
        const stored = Promise.all([batch, add(pet)]).then(([, added]) => added)
        batch = stored
        return stored
      },
    }
  },
})

export const petWriteFaults: readonly Fault<PetRepository>[] = [...fieldFaults, ...addingFaults]
