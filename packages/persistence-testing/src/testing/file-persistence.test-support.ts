// A persistence adapter in one file, each of whose guarantees can be broken:
// `file:/path/to/file?fault-name`. Another process imports it too, to be killed.

import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { deserialize, serialize } from 'node:v8'
import type { Allowance, RateLimit } from '@pet-store/access'
import { type Pet, type PetId, persistenceUnavailable } from '@pet-store/domain'
import type { OpenBulkAccess, OpenPersistence } from '@pet-store/persistence'
import { FakeApiKeys } from './fake-api-keys.test-support.ts'
import { FakeBulk } from './fake-bulk.test-support.ts'
import { createFakePets, type FakePets, textOf } from './fake-pets.test-support.ts'

interface State {
  readonly pets: FakePets
  readonly apiKeys: FakeApiKeys
  readonly counts: Map<string, number>
  readonly imports: FakeBulk['imports']
}

type Method = (...args: unknown[]) => unknown

/**
 * Far more than passes between two calls, or between a call and a close or a kill, on a loaded
 * machine.
 */
const WRITE_DELAY_MS = 60_000
const processCounts = new Map<string, number>()
const openingsOf = new Map<string, readonly (() => void)[]>()
const openFiles = new Set<string>()

const openFilePersistence: OpenPersistence = async ({ url, mode, replicaUrls = [] }) => {
  const { pathname, search } = new URL(url)
  const has = (fault: string): boolean => search === `?${fault}`
  const isDown = () => existsSync(`${pathname}.down`)
  const mayMigrate = mode === 'migrate' || (mode === 'read' && has('migrates-for-reading'))
  const isOutdated = existsSync(`${pathname}.outdated`)
  const isReopened = existsSync(pathname)
  if ((isOutdated || !isReopened) && !mayMigrate && !has('ignores-migrate'))
    throw new Error('The schema is outdated.')
  if (has('cannot-read-alone') && mode === 'read') throw new Error('It is read-only.')
  if (isDown() && !has('connects-lazily')) throw new Error('ECONNREFUSED')
  if (has('single') || has('single-in-process')) {
    if (has('single') ? existsSync(`${pathname}.open`) : openFiles.has(pathname))
      throw new Error('It is open already.')
    openFiles.add(pathname)
    writeFileSync(`${pathname}.open`, '')
  }
  if (has('keeps-a-timer')) setInterval(() => {}, 1_000)

  let state = transaction(pathname, (stored, save) => {
    if (has('forgets-ids')) stored.pets.memory.lastId = 0n
    if (has('forgets-idempotency-keys')) stored.pets.memory.keys.clear()
    if (has('forgets-api-keys')) stored.apiKeys.rows.length = 0
    if (has('forgets-counts')) stored.counts.clear()
    if (isOutdated && has('loses-old-pets')) stored.pets.memory.pets.delete(1n)
    save(stored)
    return withFaults(stored)
  })
  rmSync(`${pathname}.outdated`, { force: true })
  let isClosed = false
  openingsOf.set(pathname, [...(openingsOf.get(pathname) ?? []), () => (isClosed = true)])
  const unknownIds = new Set<bigint>()
  const lists = new Map<string, readonly Pet[]>()
  let timer: ReturnType<typeof setTimeout> | undefined

  /**
   * Calls a method on what the file contains, and writes it back. The fakes do all their work
   * before they return.
   */
  async function call<Result>(method: (current: State) => Promise<Result>): Promise<Result> {
    if (isClosed) throw new Error('It is closed.')
    if (isDown()) {
      if (has('waits-forever')) return new Promise(() => {})
      if (has('hides-unavailability')) throw new Error('ECONNREFUSED')
      if (has('forgets-on-a-crash')) rmSync(pathname, { force: true })
      // It tries once more by itself.
      if (has('stores-later')) setTimeout(() => void call(method).catch(() => {}), 300)
      throw persistenceUnavailable({ outcome: has('lies') ? ('maybe' as 'unknown') : 'not_stored' })
    }
    return transaction(pathname, (stored, save) => {
      if (!has('caches') && !has('forgets-counts') && timer === undefined)
        state = withFaults(stored)
      const result = method(state)
      if (has('writes-later') || has('loses-pending-writes'))
        timer ??= setTimeout(write, WRITE_DELAY_MS)
      else save(state)
      return result
    })
  }

  function withFaults(stored: State): State {
    if (!isReopened) return stored
    const { pets } = stored
    const { find, list, addWithKey, memory } = { ...pets }
    if (isOutdated && has('leaves-an-index-empty'))
      pets.list = async (query) =>
        (await list(query)).filter(({ id }) => query.status === undefined || id > 4n)
    if (has('remembers-deleted-pets'))
      pets.addWithKey = async (pet, key) => {
        const id = memory.keys.get(textOf(key))?.id
        return id === undefined ? addWithKey(pet, key) : { pet: { ...pet, id }, isReplay: true }
      }
    if (has('finds-by-double'))
      pets.find = async (id) =>
        [...memory.pets.values()].find((pet) => Number(pet.id) === Number(id)) ?? find(id)
    if (has('pages-by-double'))
      pets.list = async ({ after, ...query }) =>
        (await list(query)).filter(({ id }) => after === undefined || Number(id) > Number(after))
    return stored
  }

  function write(): void {
    timer = undefined
    transaction(pathname, (_, save) => save(state))
  }

  async function overwrite(id: string): Promise<void> {
    const read = await call(({ apiKeys }) => apiKeys.find(id))
    await new Promise((resolve) => setTimeout(resolve, 5))
    await call(async ({ apiKeys }) => apiKeys.change(id, () => ({ revokedAt: read?.revokedAt })))
  }

  /** A port whose functions are called on what the file contains, but for those that are given. */
  function port<Name extends 'pets' | 'apiKeys'>(
    name: Name,
    own: Partial<State[Name]>,
  ): State[Name] {
    return new Proxy({} as State[Name], {
      get:
        (_, key) =>
        async (...args: unknown[]) => {
          const isAcknowledged =
            name === 'apiKeys' && has('acknowledges-keys-while-down') && isDown()
          if (isAcknowledged) return true
          const method = Reflect.get(own, key) as Method | undefined
          if (method !== undefined) return method(...args)
          return call(async (current) =>
            (Reflect.get(current[name], key) as Method).apply(current[name], args),
          )
        },
    })
  }

  const take = async ({ requests, windowMs }: RateLimit, keyId: string): Promise<Allowance> =>
    call(async (current) => {
      const counts = has('counts-per-process') ? processCounts : current.counts
      const now = Date.now()
      const key = `${keyId} ${Math.floor(now / windowMs)}`
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      const remaining = Math.max(0, requests - count)
      return { isAllowed: count <= requests, remaining, resetMs: windowMs - (now % windowMs) }
    })

  return {
    pets: port('pets', {
      async find(id) {
        const pet = unknownIds.has(id) ? undefined : await call(({ pets }) => pets.find(id))
        if (has('caches-unknown-ids') && pet === undefined) unknownIds.add(id)
        return pet
      },
      async list(query) {
        const [replica] = has('reads-any-replica') ? replicaUrls : []
        if (replica !== undefined)
          return transaction(new URL(replica).pathname, ({ pets }) => pets.list(query))
        const cached = has('caches-lists') ? lists.get(query.status ?? '') : undefined
        const found = cached ?? (await call(({ pets }) => pets.list(query)))
        lists.set(query.status ?? '', found)
        return found
      },
    }),
    apiKeys: port('apiKeys', {
      async markUsed(uses) {
        if (has('overwrites-revocations')) await overwrite(uses[0]?.id ?? '')
        return call(({ apiKeys }) => apiKeys.markUsed(uses))
      },
    }),
    createRateLimiter: (limit) => ({ take: (keyId) => take(limit, keyId) }),
    check: async () => (has('never-rejects-check') ? undefined : call(async () => undefined)),
    isMigrated: async () => !has('denies-migrations'),
    async close() {
      for (const end of has('closes-all') ? (openingsOf.get(pathname) ?? []) : []) end()
      openFiles.delete(pathname)
      rmSync(`${pathname}.open`, { force: true })
      clearTimeout(timer)
      if (timer !== undefined && !has('loses-pending-writes')) write()
    },
  }
}

export default openFilePersistence

/** The same file for bulk access. */
export const openBulkAccess: OpenBulkAccess = async ({ url, mode }) => {
  const { pathname, search } = new URL(url)
  const mayCreate =
    mode === 'migrate' || (mode === 'read' && search === '?creates-for-bulk-reading')
  if (!existsSync(pathname) && !mayCreate) throw new Error('The schema is missing.')
  const state = transaction(pathname, (stored) => stored)
  const bulk = new FakeBulk(state.pets, state.apiKeys, state.imports)
  const store = () => transaction(pathname, (_, save) => save({ ...state, imports: bulk.imports }))
  if (search === '?forgets-last-id') bulk.movePetIdsPast = async () => {}
  if (search === '?forgets-bulk-keys') bulk.writeIdempotencyKeys = async () => {}
  if (search === '?forgets-rotations') bulk.toStored = (row) => row
  const addPets = bulk.addPets.bind(bulk)
  bulk.addPets = async (pets, progress) => {
    const isLater =
      search === '?stores-progress-later' && progress !== undefined && progress.to.lines > 50
    await (isLater ? addPets(pets) : addPets(pets, progress))
    store()
    // It is killed before its progress is stored. A kill by the case itself could come a moment too
    // early.
    if (isLater) process.kill(process.pid, 'SIGKILL')
  }
  bulk.close = async () => store()
  return bulk
}

/** Deletes a pet as if by hand. */
export async function deletePet(url: string, id: PetId): Promise<void> {
  transaction(new URL(url).pathname, (stored, save) => {
    stored.pets.memory.pets.delete(id)
    save(stored)
  })
}

/**
 * Works on what a file contains while no other process does; what it saves is there as a whole or
 * not at all.
 */
function transaction<Result>(
  path: string,
  work: (stored: State, save: (state: State) => void) => Result,
): Result {
  const file = new DatabaseSync(path, { timeout: 60_000 })
  try {
    file.exec(
      'pragma synchronous = off; begin immediate; create table if not exists state (id integer primary key, bytes)',
    )
    const stored: State = {
      pets: createFakePets(),
      apiKeys: new FakeApiKeys(),
      counts: new Map(),
      imports: [],
    }
    const bytes = file.prepare('select bytes from state').get()?.['bytes'] as Uint8Array | undefined
    if (bytes !== undefined) {
      const { pets, apiKeys, ...rest } = deserialize(bytes)
      Object.assign(stored.apiKeys, { rows: apiKeys })
      Object.assign(stored, rest, { pets: createFakePets(pets) })
    }
    const result = work(stored, ({ pets, apiKeys, counts, imports }) => {
      const all = serialize({ pets: pets.memory, apiKeys: apiKeys.rows, counts, imports })
      file.prepare('insert or replace into state values (1, ?)').run(all)
    })
    file.exec('commit')
    return result
  } finally {
    file.close()
  }
}
