import { INT64, type Pet, type PetQuery, type PetRepository } from '@pet-store/domain'
import { type FakePets, OPERATIONS, petFaults, returns } from './fake-pets.test-support.ts'
import { broken, type Fault, type Faults, pause } from './fault.test-support.ts'

const findsId = (fault: string, change: (id: bigint) => bigint): Faults<FakePets> => ({
  [fault]: (_, { find }) => ({ find: async (id) => find(change(id)) }),
})

const findingFaults = petFaults('pet.find', {
  ...findsId('each similar: finds the first pet for any id', () => 1n),
  'looked-for-before: remembers of every seventh id that no pet has it': (_, { find }) => {
    const unknown = new Set<bigint>()
    return {
      async find(id) {
        if (unknown.has(id)) return undefined
        const found = await find(id)
        if (found === undefined && id % 7n === 0n) unknown.add(id)
        return found
      },
    }
  },
  'empty unknown: returns null for an unknown id': (_, { find }) => ({
    find: async (id) => (await find(id)) ?? (null as unknown as undefined),
  }),
  'empty similar: rejects an unknown id': (_, { find }) => ({
    find: async (id) => (await find(id)) ?? broken(),
  }),
  ...findsId('unknown: finds the first pet under the id 0', (id) => id || 1n),
  ...findsId('unknown similar: ignores the sign of an id', (id) => (id < 0n ? -id : id)),
  ...findsId('similar: cuts ids to 32 bits', (id) => BigInt.asIntN(32, id)),
  ...findsId('similar: cuts ids to 53 bits', (id) => BigInt.asUintN(53, id)),
  ...findsId('unknown: rejects ids that a double cannot hold', (id) =>
    BigInt(Number(id)) === id ? id : broken(),
  ),
  ...findsId('unknown: rejects the smallest int64', (id) => (-id > INT64.max ? broken() : id)),
  // Ids begin at 2^53, from where a double holds only every second integer.
  'similar: compares great ids as doubles': ({ memory }) => {
    memory.lastId = 2n ** 53n
    return {
      find: async (id) => [...memory.pets.values()].find((pet) => Number(pet.id) === Number(id)),
    }
  },
})

const select = (
  fault: string,
  change: (all: readonly Pet[], query: PetQuery) => readonly Pet[],
): Faults<FakePets> => ({
  [fault]: ({ memory }) => ({ list: async (query) => change([...memory.pets.values()], query) }),
})

const listingFaults = petFaults('pet.list', {
  ...select('more-than-1000: returns at most 1,000 pets', (all, { after, limit }) =>
    all.filter(({ id }) => after === undefined || id > after).slice(0, Math.min(limit, 1_000)),
  ),
  ...select('empty: returns null when it is empty', (all) =>
    all.length === 0 ? (null as unknown as readonly Pet[]) : all,
  ),
  ...select('empty: rejects a list when it is empty', (all) => (all.length === 0 ? broken() : all)),
  ...select('ascending: orders ids as text', (all) =>
    all.toSorted((one, other) => (`${one.id}` < `${other.id}` ? -1 : 1)),
  ),
  ...select('ascending: lists the newest first', (all) => all.toReversed()),
  ...select('long-names: ends a page at a megabyte of names', (all) => {
    let bytes = 0
    return all.filter(({ name }) => {
      bytes += Buffer.byteLength(name)
      return bytes < 2 ** 20
    })
  }),
  ...select('more-than-1000 limit: rejects limits above 100', (all, { limit }) =>
    limit > 100 ? broken() : all,
  ),
  ...select('limit: lists one pet too few', (all, { limit }) => all.slice(0, limit - 1)),
  ...select('limit: ignores the limit', (all) => all),
  ...select('limit: fills a list up to the limit', (all, { limit }) =>
    Array.from({ length: Math.min(limit, 200) }, (_, index) => all[index] as Pet),
  ),
  ...select(
    'more-than-1000: lists one pet too few when the limit is a power of two',
    (all, query) =>
      all
        .filter(({ id }) => query.after === undefined || id > query.after)
        .slice(
          0,
          query.limit > 100 && Math.log2(query.limit) % 1 === 0 ? query.limit - 1 : query.limit,
        ),
  ),
  'concurrent: gives all lists of one moment the result of the first': (_, { list }) => {
    let running: ReturnType<typeof list> | undefined
    return {
      async list(query) {
        running ??= list(query)
        const found = await running
        await pause()
        running = undefined
        return found.map((pet) => ({ ...pet }))
      },
    }
  },
  'beside-adds: shows a pet before it has every field': ({ memory }, { add }) => ({
    async add(pet, cancellation) {
      const added = await add(pet, cancellation)
      memory.pets.set(added.id, { ...added, categoryId: 0n })
      // Longer than one read takes.
      for (let turns = 0; turns < 9; turns += 1) await pause()
      memory.pets.set(added.id, added)
      return { ...added }
    },
  }),
  'undefined: takes an undefined status for one that no pet has': (_, { list }) => ({
    list: async (query) => ('status' in query && query.status === undefined ? [] : list(query)),
  }),
  'undefined: begins nowhere with an undefined position': (_, { list }) => ({
    list: async (query) => ('after' in query && query.after === undefined ? [] : list(query)),
  }),
  'read-again: lists the page that was read before, until a pet is added without a key': (
    _,
    { add, list },
  ) => {
    const pages = new Map<string, ReturnType<typeof list>>()
    return {
      add(pet, cancellation) {
        pages.clear()
        return add(pet, cancellation)
      },
      list(query) {
        const text = `${query.status} ${query.after} ${query.limit}`
        const page = pages.get(text) ?? list(query)
        pages.set(text, page)
        return page
      },
    }
  },
  ...select('limit: cuts the limit to 32 bits', (all, { limit }) =>
    all.slice(0, Math.max(limit | 0, 0)),
  ),
})

const pagesFrom = (
  fault: string,
  change: (after: bigint) => bigint | undefined,
): Faults<FakePets> => ({
  [fault]: (_, { list }) => ({
    list: ({ after, ...query }) =>
      list({ ...query, after: after === undefined ? undefined : change(after) }),
  }),
})

const pagingFaults = petFaults('pet.page', {
  ...pagesFrom('known unknown int64 walk: ignores the position', () => undefined),
  ...pagesFrom(
    'known walk walk-while-adding: lists the pet at the position too',
    (after) => after - 1n,
  ),
  ...select('unknown int64: lists nothing after an unknown id', (all, { after }) => {
    const index = all.findIndex(({ id }) => id === after)
    return after === undefined ? all : index < 0 ? [] : all.slice(index + 1)
  }),
  ...select('empty unknown: rejects an unknown position', (all, { after }) =>
    after === undefined || all.some(({ id }) => id === after) ? all : broken(),
  ),
  ...pagesFrom('int64: cuts positions to 32 bits', (after) => BigInt.asIntN(32, after)),
  ...pagesFrom('walk: skips a pet between two pages', (after) => after + 1n),
  'walk-while-adding: skips a pet for each pet added since the page before': (
    { memory },
    { list },
  ) => {
    let knownCount = 0
    return {
      async list(query) {
        const skipped = query.after === undefined ? 0 : memory.pets.size - knownCount
        knownCount = memory.pets.size
        return (await list({ ...query, limit: query.limit + skipped })).slice(skipped)
      },
    }
  },
})

const filteringFaults = petFaults('pet.filter', {
  ...select('none: hides pets without a status', (all) =>
    all.filter((row) => row.status !== undefined),
  ),
  'status after no-match: ignores the filter': (_, { list }) => ({
    list: ({ status: _status, ...query }) => list(query),
  }),
  ...select('status no-match: lists a pet without a status with every filter', (all, { status }) =>
    all.filter((row) => (row.status ?? status) === status),
  ),
  'limit after: applies the limit before the filter': (_, { list }) => ({
    list: ({ status, ...query }) =>
      list(query).then((found) =>
        found.filter((row) => status === undefined || row.status === status),
      ),
  }),
  ...select('after: looks for the position among the matching pets', (all, { status, after }) => {
    const matching = all.filter((row) => row.status === status)
    const index = matching.findIndex(({ id }) => id === after)
    return index < 0 ? [] : matching.slice(index + 1)
  }),
  ...select(
    'more-than-1000: looks at no more than 2,000 pets for a status',
    (all, { status, after, limit }) =>
      all
        .filter(({ id }) => after === undefined || id > after)
        .slice(0, 2_000)
        .filter((row) => row.status === status)
        .slice(0, limit),
  ),
  ...select(
    'more-than-1000: looks for a status in the first 1,000 pets',
    (all, { status, after, limit }) =>
      all
        .filter(({ id }) => after === undefined || id > after)
        .slice(0, 1_000)
        .filter((row) => row.status === status)
        .slice(0, limit),
  ),
  'status: does not list a pet with a status that has an idempotency key': (
    { memory },
    { list },
  ) => ({
    list: (query) =>
      list(query).then((found) => {
        const keyed = new Set([...memory.keys.values()].map(({ id }) => id))
        return query.status === undefined ? found : found.filter(({ id }) => !keyed.has(id))
      }),
  }),
  ...select(
    'more-than-1000: lists one pet too few of a status when the limit is above 1,000',
    (all, { status, after, limit }) =>
      all
        .filter((pet) => after === undefined || pet.id > after)
        .filter((pet) => status === undefined || pet.status === status)
        .slice(0, status !== undefined && limit === 1001 ? 1000 : limit),
  ),
  'after: ignores the limit with a filter and a position': (_, { list }) => ({
    list: (query) =>
      list(
        query.status !== undefined && query.after !== undefined ? { ...query, limit: 99 } : query,
      ),
  }),
})

const leaks = (leaking: (typeof OPERATIONS)[number]): Faults<FakePets> => ({
  [`returned: returns the stored pet itself from ${leaking}`]: returns(
    ({ id }, { pets }) => pets.get(id) as Pet,
    [leaking],
  ),
})

const detachedFaults = petFaults('pet.detached', ...OPERATIONS.map(leaks), {
  'returned: returns its own array': (_, { add }) => {
    const all: Pet[] = []
    return {
      async add(pet) {
        const added = await add(pet)
        all.push({ ...added })
        return added
      },
      list: async () => all,
    }
  },
  'arguments: cannot write the position of the next page into the query': (_, { list }) => ({
    list: async (query) => (Object.isFrozen(query) ? broken() : list(query)),
  }),
  'arguments: cannot write the time into the key': (_, { addWithKey }) => ({
    addWithKey: async (pet, key, cancellation) =>
      Object.isFrozen(key) ? broken() : addWithKey(pet, key, cancellation),
  }),
  'repeated: returns the stored pet itself from a repeat': ({ memory }, { addWithKey }) => ({
    async addWithKey(given, key, cancellation) {
      const { pet, isReplay } = await addWithKey(given, key, cancellation)
      return { pet: isReplay ? (memory.pets.get(pet.id) as Pet) : pet, isReplay }
    },
  }),
  'returned: returns the stored pet itself from addWithKey': ({ memory }, { addWithKey }) => ({
    async addWithKey(given, key, cancellation) {
      const { pet, isReplay } = await addWithKey(given, key, cancellation)
      return { pet: memory.pets.get(pet.id) as Pet, isReplay }
    },
  }),
  'given: stores the given object instead of a copy': ({ memory }, { add }) => ({
    async add(pet) {
      const added = await add(pet)
      memory.pets.set(added.id, Object.assign(pet, { id: added.id }))
      return added
    },
  }),
})

export const petReadFaults: readonly Fault<PetRepository>[] = [
  ...findingFaults,
  ...listingFaults,
  ...pagingFaults,
  ...filteringFaults,
  ...detachedFaults,
]
