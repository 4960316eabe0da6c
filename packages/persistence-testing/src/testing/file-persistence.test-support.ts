// A persistence adapter in one file, each of whose guarantees can be broken: `file:/path/to/file?fault-name`.
// Another process imports it too, to be killed.

import { existsSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import type { Allowance, RateLimit } from '@pet-store/access'
import { persistenceUnavailable } from '@pet-store/domain'
import type { OpenBulkAccess, OpenPersistence } from '@pet-store/persistence'
import { FakeApiKeys } from './fake-api-keys.test-support.ts'
import { FakeBulk } from './fake-bulk.test-support.ts'
import { FakePets } from './fake-pets.test-support.ts'

interface State {
  readonly pets: FakePets
  readonly apiKeys: FakeApiKeys
  readonly counts: Map<string, number>
  readonly imports: FakeBulk['imports']
}

const openFilePersistence: OpenPersistence = async ({ url, migrate = false, readOnly = false }) => {
  const { pathname, search } = new URL(url)
  const has = (fault: string): boolean => search === `?${fault}`
  const mayMigrate = migrate && (!readOnly || has('migrates-for-reading'))
  if (!existsSync(pathname) && !mayMigrate && !has('ignores-migrate')) throw new Error('The schema is missing.')

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
  save(pathname, state)
  unlock()
  const isCached = has('caches') || has('forgets-counts')
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Calls a method on what the file contains, and writes it back. The fakes do all their work before they return. */
  function call<Result>(method: (current: State) => Promise<Result>): Promise<Result> {
    if (existsSync(`${pathname}.down`)) {
      if (has('hides-unavailability')) return Promise.reject(new Error('ECONNREFUSED'))
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

  function loadWithFaults(): State {
    const loaded = load(pathname)
    if (!isReopened) return loaded
    if (has('forgets-statuses')) loaded.pets.hasStatus = (_, status) => status === undefined
    if (has('forgets-times')) forgetTimes(loaded)
    if (has('forgets-hashes')) loaded.apiKeys.findByHash = async () => undefined
    return loaded
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
      find: async (id) => call(({ pets }) => pets.find(id)),
      list: async (query) => call(({ pets }) => pets.list(query)),
    },
    apiKeys: {
      add: async (key) => call(({ apiKeys }) => apiKeys.add(key)),
      replace: async (id, successor, until) => call(({ apiKeys }) => apiKeys.replace(id, successor, until)),
      find: async (id) => call(({ apiKeys }) => apiKeys.find(id)),
      findByHash: async (sha256) => call(({ apiKeys }) => apiKeys.findByHash(sha256)),
      list: async () => call(({ apiKeys }) => apiKeys.list()),
      revoke: async (id, at, by) => call(({ apiKeys }) => apiKeys.revoke(id, at, by)),
      markUsed: async (uses) => call(({ apiKeys }) => apiKeys.markUsed(uses)),
    },
    createRateLimiter: (limit) => ({ take: limiterOf(limit) }),
    check: async () => (has('never-rejects-check') ? undefined : call(async () => undefined)),
    isMigrated: async () => !has('denies-migrations'),
    async close() {
      openPlaces.delete(pathname)
      rmSync(`${pathname}.open`, { force: true })
      clearTimeout(timer)
      if (timer !== undefined && !has('loses-pending-writes')) write()
    },
  }
}

export default openFilePersistence

/** The same file for bulk access. */
export const openFileBulkAccess: OpenBulkAccess = async ({ url }) => {
  const { pathname, search } = new URL(url)
  const state = load(pathname)
  const bulk = new FakeBulk(state.pets, state.apiKeys, state.imports)
  if (search === '?forgets-last-id') bulk.movePetIdsPast = async () => {}
  if (search === '?forgets-bulk-keys') bulk.writeIdempotencyKeys = async () => {}
  if (search === '?forgets-rotations') bulk.toStored = (row) => row
  bulk.close = async () => save(pathname, { ...state, imports: bulk.imports })
  return bulk
}

const processCounts = new Map<string, number>()
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
