// A persistence adapter in one file, each of whose guarantees can be broken: `file:/path/to/file?fault-name`.
// Another process imports it too, to be killed.

import { existsSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import type { Allowance, RateLimit } from '@pet-store/access'
import { type Pet, type PetId, persistenceUnavailable } from '@pet-store/domain'
import type { OpenBulkAccess, OpenPersistence } from '@pet-store/persistence'
import { FakeApiKeys } from './fake-api-keys.test-support.ts'
import { FakeBulk } from './fake-bulk.test-support.ts'
import { FakePets } from './fake-pets.test-support.ts'

type Call<Result> = (current: State) => Promise<Result>

interface State {
  readonly pets: FakePets
  readonly apiKeys: FakeApiKeys
  readonly counts: Map<string, number>
  readonly imports: FakeBulk['imports']
}

const openFilePersistence: OpenPersistence = async ({ url, migrate = false, readOnly = false, replicaUrls = [] }) => {
  const { pathname, search } = new URL(url)
  const has = (fault: string): boolean => search === `?${fault}`
  const mayMigrate = migrate && (!readOnly || has('migrates-for-reading'))
  const isOutdated = existsSync(`${pathname}.outdated`)
  if ((isOutdated || !existsSync(pathname)) && !mayMigrate && !has('ignores-migrate')) {
    throw new Error('The schema is missing or outdated.')
  }

  if (has('cannot-read-alone') && readOnly) throw new Error('It is read-only.')
  if (existsSync(`${pathname}.down`) && !has('connects-lazily')) throw new Error('ECONNREFUSED')
  if (has('single') || has('single-in-process')) {
    const isOpen = has('single') ? existsSync(`${pathname}.open`) : openPlaces.has(pathname)
    if (isOpen) throw new Error('It is open already.')
    openPlaces.add(pathname)
    writeFileSync(`${pathname}.open`, '')
  }
  if (has('keeps-a-timer')) setInterval(() => {}, 1_000)

  const isReopened = existsSync(pathname)
  const unlock = lock(pathname)
  let state: State = loadWithFaults()
  if (has('forgets-ids')) state.pets.lastId = 0n
  if (has('forgets-idempotency-keys')) state.pets.keys.clear()
  if (has('forgets-api-keys')) state.apiKeys.rows.length = 0
  if (has('forgets-counts')) state.counts.clear()
  if (isOutdated && has('loses-old-pets')) state.pets.rows.pop()
  rmSync(`${pathname}.outdated`, { force: true })
  save(pathname, state)
  unlock()
  let isClosed = false
  const openings = openingsOf.get(pathname) ?? []
  openingsOf.set(pathname, [...openings, () => (isClosed = true)])
  const unknownIds = new Set<bigint>()
  const lists = new Map<string, readonly Pet[]>()
  const isCached = has('caches') || has('forgets-counts')
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Calls a method on what the file contains, and writes it back. The fakes do all their work before they return. */
  function call<Result>(method: (current: State) => Promise<Result>): Promise<Result> {
    if (isClosed) return Promise.reject(new Error('It is closed.'))
    if (existsSync(`${pathname}.down`)) {
      if (has('waits-forever')) return new Promise(() => {})
      if (has('hides-unavailability')) return Promise.reject(new Error('ECONNREFUSED'))
      if (has('forgets-on-a-crash')) rmSync(pathname, { force: true })
      if (has('stores-later')) setTimeout(() => void callAgain(method), 300)
      throw persistenceUnavailable({ outcome: has('lies') ? ('maybe' as 'unknown') : 'not_stored' })
    }
    const unlockCall = lock(pathname)
    try {
      if (!isCached && timer === undefined) state = loadWithFaults()
      const result = method(state)
      if (has('writes-later') || has('loses-pending-writes')) timer ??= setTimeout(write, 50)
      else save(pathname, state)
      return result
    } finally {
      unlockCall()
    }
  }

  async function callAgain<Result>(method: (current: State) => Promise<Result>): Promise<void> {
    try {
      await call(method)
    } catch {
      // It tries once more by itself.
    }
  }

  /** For writes of API keys. */
  function callKeys<Result>(method: (keys: FakeApiKeys) => Promise<Result>): Promise<Result> {
    if (has('acknowledges-keys-while-down') && existsSync(`${pathname}.down`)) return Promise.resolve(true as Result)
    return call(({ apiKeys }) => method(apiKeys))
  }

  function loadWithFaults(): State {
    const loaded = load(pathname)
    if (!isReopened) return loaded
    if (has('forgets-statuses')) loaded.pets.hasStatus = (_, status) => status === undefined
    if (has('forgets-times')) forgetTimes(loaded)
    if (isOutdated && has('leaves-an-index-empty'))
      loaded.pets.hasStatus = (row, status) => status === undefined || row.id > 4n
    if (has('remembers-deleted-pets')) loaded.pets.isStored = () => true
    if (has('finds-by-double')) loaded.pets.hasId = (row, id) => Number(row.id) === Number(id)
    if (has('pages-by-double')) loaded.pets.isAfter = (row, id) => id === undefined || Number(row.id) > Number(id)
    if (has('hides-bulk-pets')) loaded.pets.hasStatus = (row, status) => status === undefined || row.id > 2n ** 53n
    if (has('forgets-hashes')) loaded.apiKeys.findByHash = async () => undefined
    return loaded
  }

  async function overwrite(id: string): Promise<void> {
    const read = await call(({ apiKeys }) => apiKeys.find(id))
    await new Promise((resolve) => setTimeout(resolve, 5))
    await call(async ({ apiKeys }) => apiKeys.change(id, () => ({ revokedAt: read?.revokedAt })))
  }

  function write(): void {
    timer = undefined
    save(pathname, state)
  }

  const limiterOf =
    ({ requests, windowMs }: RateLimit) =>
    async (keyId: string) =>
      call(async (current): Promise<Allowance> => {
        const counts = has('counts-per-process') ? processCounts : current.counts
        const now = Date.now()
        const key = `${keyId} ${Math.floor(now / windowMs)}`
        const count = (counts.get(key) ?? 0) + 1
        counts.set(key, count)
        const remaining = Math.max(0, requests - count)
        return { isAllowed: count <= requests, remaining, resetMs: windowMs - (now % windowMs) }
      })

  return {
    pets: {
      add: async (pet, cancellation) => call(({ pets }) => pets.add(pet, cancellation)),
      addWithKey: async (pet, key, cancellation) => call(({ pets }) => pets.addWithKey(pet, key, cancellation)),
      async find(id) {
        const pet = unknownIds.has(id) ? undefined : await call(({ pets }) => pets.find(id))
        if (has('caches-unknown-ids') && pet === undefined) unknownIds.add(id)
        return pet
      },
      async list(query) {
        const cached = lists.get(query.status ?? '')
        const [replica] = has('reads-any-replica') ? replicaUrls : []
        const source =
          replica === undefined ? call : (method: Call<readonly Pet[]>) => method(load(new URL(replica).pathname))
        const found = cached ?? (await source(({ pets }) => pets.list(query)))
        if (has('caches-lists')) lists.set(query.status ?? '', found)
        return found
      },
    },
    apiKeys: {
      add: async (key) => callKeys((keys) => keys.add(key)),
      replace: async (id, successor, until) => callKeys((keys) => keys.replace(id, successor, until)),
      find: async (id) => call(({ apiKeys }) => apiKeys.find(id)),
      findByHash: async (sha256) => call(({ apiKeys }) => apiKeys.findByHash(sha256)),
      list: async () => call(({ apiKeys }) => apiKeys.list()),
      revoke: async (id, at, by) => callKeys((keys) => keys.revoke(id, at, by)),
      async markUsed(uses) {
        if (has('overwrites-revocations')) await overwrite(uses[0]?.id ?? '')
        return callKeys((keys) => keys.markUsed(uses))
      },
    },
    createRateLimiter: (limit) => ({ take: limiterOf(limit) }),
    check: async () => (has('never-rejects-check') ? undefined : call(async () => undefined)),
    isMigrated: async () => !has('denies-migrations'),
    async close() {
      for (const end of has('closes-all') ? (openingsOf.get(pathname) ?? []) : []) end()
      openPlaces.delete(pathname)
      rmSync(`${pathname}.open`, { force: true })
      clearTimeout(timer)
      if (timer !== undefined && !has('loses-pending-writes')) write()
    },
  }
}

export default openFilePersistence

/** The same file for bulk access. */
export const openBulkAccess: OpenBulkAccess = async ({ url, migrate = false, readOnly = false }) => {
  const { pathname, search } = new URL(url)
  const mayCreate = migrate && (!readOnly || search === '?creates-for-bulk-reading')
  if (!existsSync(pathname) && !mayCreate) throw new Error('The schema is missing.')
  const state = load(pathname)
  const bulk = new FakeBulk(state.pets, state.apiKeys, state.imports)
  if (search === '?forgets-last-id') bulk.movePetIdsPast = async () => {}
  if (search === '?forgets-bulk-keys') bulk.writeIdempotencyKeys = async () => {}
  if (search === '?forgets-rotations') bulk.toStored = (row) => row
  const addPets = bulk.addPets.bind(bulk)
  bulk.addPets = async (pets, progress) => {
    const store = () => save(pathname, { ...state, imports: bulk.imports })
    if (search !== '?stores-progress-later' || progress === undefined) {
      await addPets(pets, progress)
      return store()
    }
    await addPets(pets)
    store()
    await new Promise((resolve) => setTimeout(resolve, 20))
    bulk.advance(progress)
    store()
  }
  bulk.close = async () => save(pathname, { ...state, imports: bulk.imports })
  return bulk
}

/** Deletes a pet as if by hand. */
export async function deletePet(url: string, id: PetId): Promise<void> {
  const { pathname } = new URL(url)
  const state = load(pathname)
  const index = state.pets.rows.findIndex((row) => row.id === id)
  state.pets.rows.splice(index, 1)
  save(pathname, state)
}

const processCounts = new Map<string, number>()
const openingsOf = new Map<string, readonly (() => void)[]>()
const openPlaces = new Set<string>()

/** Excludes other processes. A process that was killed leaves its lock, which the next one takes over. */
function lock(path: string): () => void {
  const file = `${path}.lock`
  for (;;) {
    try {
      symlinkSync(String(process.pid), file)
      return () => rmSync(file)
    } catch {
      if (!isRunning(ownerOf(file))) rmSync(file, { force: true })
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

/** Another one than this process, if the lock is there. */
function ownerOf(file: string): number {
  try {
    return Number(readlinkSync(file))
  } catch {
    return process.pid
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function forgetTimes({ pets }: State): void {
  for (const [text, { key, pet }] of pets.keys) pets.keys.set(text, { key: { ...key, at: new Date(8.64e15) }, pet })
}

function load(path: string): State {
  const state = { pets: new FakePets(), apiKeys: new FakeApiKeys(), counts: new Map<string, number>(), imports: [] }
  if (!existsSync(path)) return state
  const { rows, keys, lastId, apiKeys, counts, imports } = deserialize(readFileSync(path))
  Object.assign(state.pets, { rows, keys, lastId })
  Object.assign(state.apiKeys, { rows: apiKeys })
  return { ...state, counts, imports }
}

/** Writes another file first, so that a killed process leaves either the old or the new state. */
function save(path: string, { pets, apiKeys, counts, imports }: State): void {
  const { rows, keys, lastId } = pets
  writeFileSync(`${path}.new`, serialize({ rows, keys, lastId, apiKeys: apiKeys.rows, counts, imports }))
  renameSync(`${path}.new`, path)
}
