import { INT64, type NewPet, type Pet, type PetQuery, type PetRepository } from '@pet-store/domain'
import { type FakePets, OPERATIONS, petFaults } from './fake-pets.test-support.ts'
import { broken, type Fault, type Faults } from './fault.test-support.ts'

const findsId = (fault: string, change: (id: bigint) => bigint): Faults<FakePets> => ({
  [fault]: { hasId: (row, id) => row.id === change(id) },
})

const findingFaults = petFaults('pet.find', {
  'each unknown.neighbour: finds the first pet for any id': { hasId: () => true },
  'empty unknown.zero unknown.minus-one: returns null for an unknown id': (_, { find }) => ({
    find: async (id) => (await find(id)) ?? (null as unknown as undefined),
  }),
  'empty unknown.neighbour: rejects an unknown id': (_, { find }) => ({
    find: async (id) => (await find(id)) ?? broken(),
  }),
  ...findsId('unknown.zero: finds the first pet under the id 0', (id) => id || 1n),
  ...findsId('unknown.minus-one unknown.negated: ignores the sign of an id', (id) => (id < 0n ? -id : id)),
  ...findsId('unknown.plus-2-32 unknown.beyond-double: cuts ids to 32 bits', (id) => BigInt.asIntN(32, id)),
  ...findsId('unknown.plus-2-53: cuts ids to 53 bits', (id) => BigInt.asUintN(53, id)),
  ...findsId('unknown.beyond-double unknown.int64-max: rejects ids that a double cannot hold', (id) =>
    BigInt(Number(id)) === id ? id : broken(),
  ),
  ...findsId('unknown.int64-min: rejects the smallest int64', (id) => (-id > INT64.max ? broken() : id)),
  // Ids begin at 2^53, from where a double holds only every second integer.
  'unknown.neighbour: compares great ids as doubles': (pets) => ({
    nextId: () => 2n ** 53n + ++pets.lastId,
    hasId: (row, id) => Number(row.id) === Number(id),
  }),
})

const select = (fault: string, change: (all: readonly Pet[], query: PetQuery) => readonly Pet[]): Faults<FakePets> => ({
  [fault]: (pets) => ({ select: (query) => change(pets.rows, query) }),
})

const returnsAtMost = (cap: number): Faults<FakePets> =>
  select(`more-than-1000: returns at most ${cap} pets`, (all, { after, limit }) =>
    all.filter(({ id }) => after === undefined || id > after).slice(0, Math.min(limit, cap)),
  )

const listingFaults = petFaults('pet.list', returnsAtMost(100), returnsAtMost(256), returnsAtMost(1000), {
  'empty: returns null when it is empty': (pets, { list }) => ({
    list: async (query) => (pets.rows.length === 0 ? (null as unknown as readonly Pet[]) : list(query)),
  }),
  ...select('empty: rejects a list when it is empty', (all) => (all.length === 0 ? broken() : all)),
  ...select('ascending ascending-concurrent: orders ids as text', (all) =>
    all.toSorted((one, other) => (`${one.id}` < `${other.id}` ? -1 : 1)),
  ),
  ...select('ascending ascending-concurrent: lists the newest first', (all) => all.toReversed()),
  ...select('long-names: ends a page at a megabyte of names', (all) => {
    let bytes = 0
    return all.filter(({ name }) => {
      bytes += Buffer.byteLength(name)
      return bytes < 2 ** 20
    })
  }),
  ...select('more-than-1000 limit.101-of-5: rejects limits above 100', (all, { limit }) =>
    limit > 100 ? broken() : all,
  ),
  ...select('limit.1-of-5 limit.4-of-5 limit.5-of-5: lists one pet too few', (all, { limit }) =>
    all.slice(0, limit - 1),
  ),
  ...select('limit.1-of-5 limit.4-of-5: ignores the limit', (all) => all),
  ...select('limit.6-of-5 limit.101-of-5: fills a list up to the limit', (all, { limit }) =>
    Array.from({ length: Math.min(limit, 200) }, (_, index) => all[index] as Pet),
  ),
  ...select(`limit.${Number.MAX_SAFE_INTEGER}-of-5: cuts the limit to 32 bits`, (all, { limit }) =>
    all.slice(0, Math.max(limit | 0, 0)),
  ),
})

const pagingFaults = petFaults('pet.page', {
  'after.first after.last after.after-last after.beyond-double after.int64-max after.first-plus-2-32 walk: ignores the position':
    {
      isAfter: () => true,
    },
  'after.first after.last walk walk-while-adding: lists the pet at the position too': {
    isAfter: (row, after) => after === undefined || row.id >= after,
  },
  ...select(
    'after.before-first after.zero after.minus-one after.int64-min after.last-minus-2-32: lists nothing after an unknown id',
    (all, { after }) => {
      const index = all.findIndex(({ id }) => id === after)
      return after === undefined ? all : index < 0 ? [] : all.slice(index + 1)
    },
  ),
  ...select('empty after.before-first: rejects an unknown position', (all, { after }) =>
    after === undefined || all.some(({ id }) => id === after) ? all : broken(),
  ),
  'after.first-plus-2-32 after.last-minus-2-32 after.int64-max: cuts positions to 32 bits': {
    isAfter: (row, after) => after === undefined || row.id > BigInt.asIntN(32, after),
  },
  'walk: skips a pet between two pages': { isAfter: (row, after) => after === undefined || row.id > after + 1n },
  'walk-while-adding: skips a pet for each pet added since the page before': (pets, { list }) => {
    let knownCount = 0
    return {
      async list(query) {
        const skipped = query.after === undefined ? 0 : pets.rows.length - knownCount
        knownCount = pets.rows.length
        return (await list({ ...query, limit: query.limit + skipped })).slice(skipped)
      },
    }
  },
})

const filteringFaults = petFaults('pet.filter', {
  'none: hides pets without a status': {
    hasStatus: (row, status) => row.status !== undefined && (status === undefined || row.status === status),
  },
  'status.available status.pending status.sold after no-match: ignores the filter': { hasStatus: () => true },
  'without-status status.available: treats a pet without a status as available': {
    hasStatus: (row, status) => status === undefined || (row.status ?? 'available') === status,
  },
  'without-status status.sold: lists a pet without a status with every filter': {
    hasStatus: (row, status) => status === undefined || (row.status ?? status) === status,
  },
  'no-match: lists everything when nothing matches': (pets, { list }) => ({
    list: (query) => list(query).then((found) => (found.length === 0 ? pets.rows : found)),
  }),
  'limit all: applies the limit before the filter': (pets, { list }) => ({
    list: ({ status, ...query }) => list(query).then((found) => found.filter((row) => pets.hasStatus(row, status))),
  }),
  'after all: ignores the position when there is a filter': (_, { list }) => ({
    list: ({ after, ...query }) =>
      list(query.status === undefined && after !== undefined ? { ...query, after } : query),
  }),
  ...select('after-other: looks for the position among the matching pets', (all, { status, after }) => {
    const matching = all.filter((row) => row.status === status)
    const index = matching.findIndex(({ id }) => id === after)
    return index < 0 ? [] : matching.slice(index + 1)
  }),
  ...select('more-than-1000: looks for a status in the first 1,000 pets', (all, { status, after, limit }) =>
    all
      .filter(({ id }) => after === undefined || id > after)
      .slice(0, 1_000)
      .filter((row) => row.status === status)
      .slice(0, limit),
  ),
  'all: ignores the limit with a filter and a position': (_, { list }) => ({
    list: (query) => list(query.status !== undefined && query.after !== undefined ? { ...query, limit: 99 } : query),
  }),
})

const leaks = (leaking: (typeof OPERATIONS)[number]): Faults<FakePets> => ({
  [`${leaking}: returns the stored pet itself from ${leaking}`]: {
    give: (pet, operation) => (operation === leaking ? pet : { ...pet }),
  },
})

const detachedFaults = petFaults('pet.detached', ...OPERATIONS.map(leaks), {
  'emptied-list: returns its own array': (pets) => ({ list: async () => pets.rows }),
  'given: stores the given object instead of a copy': { toRow: (pet: NewPet) => pet },
})

export const petReadFaults: readonly Fault<PetRepository>[] = [
  ...findingFaults,
  ...listingFaults,
  ...pagingFaults,
  ...filteringFaults,
  ...detachedFaults,
]
