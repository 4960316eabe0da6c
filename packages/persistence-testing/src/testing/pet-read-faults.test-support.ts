import { INT64, type NewPet, type Pet, type PetQuery, type PetRepository } from '@pet-store/domain'
import { ids, OPERATIONS, petFault } from './fake-pets.test-support.ts'
import { broken, type Fault } from './fault.test-support.ts'

const findsId = (what: string, caughtBy: string, change: (id: bigint) => bigint) =>
  petFault(what, caughtBy, () => ({ hasId: (row, id) => row.id === change(id) }))

const findingFaults: readonly Fault<PetRepository>[] = [
  petFault('finds the first pet for any id', ids('pet.find', 'each unknown.neighbour'), () => ({ hasId: () => true })),
  petFault(
    'returns null for an unknown id',
    ids('pet.find', 'empty unknown.zero unknown.minus-one'),
    (_, { find }) => ({
      find: async (id) => (await find(id)) ?? (null as unknown as undefined),
    }),
  ),
  petFault('rejects an unknown id', ids('pet.find', 'empty unknown.neighbour'), (_, { find }) => ({
    find: async (id) => (await find(id)) ?? broken(),
  })),
  findsId('finds the first pet under the id 0', 'pet.find.unknown.zero', (id) => id || 1n),
  findsId('ignores the sign of an id', ids('pet.find', 'unknown.minus-one unknown.negated'), (id) =>
    id < 0n ? -id : id,
  ),
  findsId('cuts ids to 32 bits', ids('pet.find', 'unknown.plus-2-32 unknown.beyond-double'), (id) =>
    BigInt.asIntN(32, id),
  ),
  findsId('cuts ids to 53 bits', 'pet.find.unknown.plus-2-53', (id) => BigInt.asUintN(53, id)),
  findsId('rejects ids that a double cannot hold', ids('pet.find', 'unknown.beyond-double unknown.int64-max'), (id) =>
    BigInt(Number(id)) === id ? id : broken(),
  ),
  findsId('rejects the smallest int64', 'pet.find.unknown.int64-min', (id) => (-id > INT64.max ? broken() : id)),
  // Ids begin at 2^53, from where a double holds only every second integer.
  petFault('compares great ids as doubles', 'pet.find.unknown.neighbour', (pets) => ({
    nextId: () => 2n ** 53n + ++pets.lastId,
    hasId: (row, id) => Number(row.id) === Number(id),
  })),
]

const select = (what: string, caughtBy: string, change: (all: readonly Pet[], query: PetQuery) => readonly Pet[]) =>
  petFault(what, caughtBy, (pets) => ({ select: (query) => change(pets.rows, query) }))

const listingFaults: readonly Fault<PetRepository>[] = [
  petFault('returns null when it is empty', 'pet.list.empty', (pets, { list }) => ({
    list: async (query) => (pets.rows.length === 0 ? (null as unknown as readonly Pet[]) : list(query)),
  })),
  select('rejects a list when it is empty', 'pet.list.empty pet.page.empty', (all) =>
    all.length === 0 ? broken() : all,
  ),
  select('orders ids as text', 'pet.list.ascending pet.list.ascending-concurrent', (all) =>
    all.toSorted((one, other) => (`${one.id}` < `${other.id}` ? -1 : 1)),
  ),
  select('lists the newest first', 'pet.list.ascending pet.list.ascending-concurrent', (all) => all.toReversed()),
  ...[100, 256, 1000].map((cap) =>
    select(`returns at most ${cap} pets`, 'pet.list.more-than-1000', (all, { after, limit }) =>
      all.filter(({ id }) => after === undefined || id > after).slice(0, Math.min(limit, cap)),
    ),
  ),
  select('ends a page at a megabyte of names', 'pet.list.long-names', (all) => {
    let bytes = 0
    return all.filter(({ name }) => {
      bytes += Buffer.byteLength(name)
      return bytes < 2 ** 20
    })
  }),
  select('rejects limits above 100', 'pet.list.more-than-1000 pet.list.limit.101-of-5', (all, { limit }) =>
    limit > 100 ? broken() : all,
  ),
  select('lists one pet too few', ids('pet.list.limit', '1-of-5 4-of-5 5-of-5'), (all, { limit }) =>
    all.slice(0, limit - 1),
  ),
  select('ignores the limit', ids('pet.list.limit', '1-of-5 4-of-5'), (all) => all),
  select('fills a list up to the limit', ids('pet.list.limit', '6-of-5 101-of-5'), (all, { limit }) =>
    Array.from({ length: Math.min(limit, 200) }, (_, index) => all[index] as Pet),
  ),
  select('cuts the limit to 32 bits', `pet.list.limit.${Number.MAX_SAFE_INTEGER}-of-5`, (all, { limit }) =>
    all.slice(0, Math.max(limit | 0, 0)),
  ),
]

const pagingFaults: readonly Fault<PetRepository>[] = [
  petFault(
    'ignores the position',
    `${ids('pet.page.after', 'first last after-last beyond-double int64-max first-plus-2-32')} pet.page.walk`,
    () => ({ isAfter: () => true }),
  ),
  petFault(
    'lists the pet at the position too',
    ids('pet.page', 'after.first after.last walk walk-while-adding'),
    () => ({ isAfter: (row, after) => after === undefined || row.id >= after }),
  ),
  select(
    'lists nothing after an unknown id',
    ids('pet.page.after', 'before-first zero minus-one int64-min last-minus-2-32'),
    (all, { after }) => {
      const index = all.findIndex(({ id }) => id === after)
      return after === undefined ? all : index < 0 ? [] : all.slice(index + 1)
    },
  ),
  select('rejects an unknown position', ids('pet.page', 'empty after.before-first'), (all, { after }) =>
    after === undefined || all.some(({ id }) => id === after) ? all : broken(),
  ),
  petFault('cuts positions to 32 bits', ids('pet.page.after', 'first-plus-2-32 last-minus-2-32 int64-max'), () => ({
    isAfter: (row, after) => after === undefined || row.id > BigInt.asIntN(32, after),
  })),
  petFault('skips a pet between two pages', 'pet.page.walk', () => ({
    isAfter: (row, after) => after === undefined || row.id > after + 1n,
  })),
  petFault('skips a pet for each pet added since the page before', 'pet.page.walk-while-adding', (pets, { list }) => {
    let knownCount = 0
    return {
      async list(query) {
        const skipped = query.after === undefined ? 0 : pets.rows.length - knownCount
        knownCount = pets.rows.length
        return (await list({ ...query, limit: query.limit + skipped })).slice(skipped)
      },
    }
  }),
]

const filteringFaults: readonly Fault<PetRepository>[] = [
  petFault('hides pets without a status', 'pet.filter.none', () => ({
    hasStatus: (row, status) => row.status !== undefined && (status === undefined || row.status === status),
  })),
  petFault(
    'ignores the filter',
    ids('pet.filter', 'status.available status.pending status.sold after no-match'),
    () => ({ hasStatus: () => true }),
  ),
  petFault('treats a pet without a status as available', ids('pet.filter', 'without-status status.available'), () => ({
    hasStatus: (row, status) => status === undefined || (row.status ?? 'available') === status,
  })),
  petFault('lists a pet without a status with every filter', ids('pet.filter', 'without-status status.sold'), () => ({
    hasStatus: (row, status) => status === undefined || (row.status ?? status) === status,
  })),
  petFault('lists everything when nothing matches', 'pet.filter.no-match', (pets, { list }) => ({
    list: (query) => list(query).then((found) => (found.length === 0 ? pets.rows : found)),
  })),
  petFault('applies the limit before the filter', ids('pet.filter', 'limit all'), (pets, { list }) => ({
    list: ({ status, ...query }) => list(query).then((found) => found.filter((row) => pets.hasStatus(row, status))),
  })),
  petFault('ignores the position when there is a filter', ids('pet.filter', 'after all'), (_, { list }) => ({
    list: ({ after, ...query }) =>
      list(query.status === undefined && after !== undefined ? { ...query, after } : query),
  })),
  select('looks for the position among the matching pets', 'pet.filter.after-other', (all, { status, after }) => {
    const matching = all.filter((row) => row.status === status)
    const index = matching.findIndex(({ id }) => id === after)
    return index < 0 ? [] : matching.slice(index + 1)
  }),
  select('looks for a status in the first 1,000 pets', 'pet.filter.more-than-1000', (all, { status, after, limit }) =>
    all
      .filter(({ id }) => after === undefined || id > after)
      .slice(0, 1_000)
      .filter((row) => row.status === status)
      .slice(0, limit),
  ),
  petFault('ignores the limit with a filter and a position', 'pet.filter.all', (_, { list }) => ({
    list: (query) => list(query.status !== undefined && query.after !== undefined ? { ...query, limit: 99 } : query),
  })),
]

const detachedFaults: readonly Fault<PetRepository>[] = [
  ...OPERATIONS.map((leaking) =>
    petFault(`returns the stored pet itself from ${leaking}`, `pet.detached.${leaking}`, () => ({
      give: (pet, operation) => (operation === leaking ? pet : { ...pet }),
    })),
  ),
  petFault('returns its own array', 'pet.detached.emptied-list', (pets) => ({ list: async () => pets.rows })),
  petFault('stores the given object instead of a copy', 'pet.detached.given', () => ({ toRow: (pet: NewPet) => pet })),
]

export const petReadFaults: readonly Fault<PetRepository>[] = [
  ...findingFaults,
  ...listingFaults,
  ...pagingFaults,
  ...filteringFaults,
  ...detachedFaults,
]
