// A persistence adapter in one module: pets, API keys and rate limits in a file with one JSON
// object per line, for one process at a time. Use it with
// PERSISTENCE_MODULE=./dist/ndjson-persistence.js DATABASE_URL=data/pets.ndjson
import { existsSync } from 'node:fs'
import { createMemoryRateLimiter } from '@pet-store/access'
import { IDEMPOTENCY_KEY_LIFETIME_MS } from '@pet-store/domain'
import {
  type ApiKeyChange,
  type ApiKeyRecord,
  type ApiKeyRecords,
  createCallGuard,
  createRecordApiKeys,
  createRecordPets,
  type IdempotencyKeyRecord,
  type OpenPersistence,
  type Persistence,
  type PersistenceCapabilities,
  type PetRecord,
  type PetRecords,
} from '@pet-store/persistence'
import { LineFile, outcomeOf } from './line-file.ts'
import { lock } from './lock.ts'

export const capabilities: PersistenceCapabilities = {
  severalProcesses: false,
  sharedLimits: true,
  bulkAccess: false,
  replicas: false,
}

const openNdjsonPersistence: OpenPersistence = async ({ url, mode }) => {
  if (!existsSync(url) && mode !== 'migrate') throw new Error(`There is no file ${url}.`)
  const unlock = mode === 'read' ? () => {} : lock(url)
  let file: LineFile<Line> | undefined
  try {
    file = new LineFile<Line>(url, mode === 'read' ? 'r' : 'a+')
    return persistenceOf(file, mode === 'read', unlock)
  } catch (error) {
    file?.close()
    unlock()
    throw error
  }
}

export default openNdjsonPersistence

function persistenceOf(file: LineFile<Line>, isReadOnly: boolean, unlock: () => void): Persistence {
  const state: State = { pets: [], keys: new Map(), apiKeys: new Map() }
  for (const line of file.readLines(isReadOnly)) apply(state, line)
  const guard = createCallGuard({ outcomeOf, assertAvailable: () => file.assertThere() })
  return {
    pets: createRecordPets(petsIn(state, file), guard),
    apiKeys: createRecordApiKeys(apiKeysIn(state, file), guard),
    createRateLimiter(limit) {
      const { take } = createMemoryRateLimiter(limit)
      return { take: (keyId) => guard.read(async () => take(keyId)) }
    },
    check: () => guard.read(async () => {}),
    async close() {
      await guard.finish()
      file.close()
      unlock()
    },
  }
}

/** What the file contains. */
interface State {
  /** By ascending id, which is the order of the lines. */
  readonly pets: PetRecord[]
  /** Idempotency keys by their name. */
  readonly keys: Map<string, StoredKey>
  readonly apiKeys: Map<string, ApiKeyRecord>
}

interface StoredKey extends Required<IdempotencyKeyRecord> {
  readonly pet: PetRecord
}

/** What one write changes. */
interface Line {
  readonly pet?: PetRecord
  readonly key?: Required<IdempotencyKeyRecord> | undefined
  readonly apiKeys?: readonly ApiKeyRecord[]
}

function apply(state: State, { pet, key, apiKeys = [] }: Line): void {
  for (const row of apiKeys) state.apiKeys.set(String(row['id']), row)
  if (pet === undefined) return
  state.pets.push(pet)
  if (key !== undefined) state.keys.set(key.name, { ...key, pet })
}

function petsIn(state: State, file: LineFile<Line>): PetRecords {
  const { pets, keys } = state
  return {
    async add(given, givenKey) {
      const key = givenKey && { at: Date.now(), ...givenKey }
      const known = key && keys.get(key.name)
      if (key && known && key.at - known.at < IDEMPOTENCY_KEY_LIFETIME_MS)
        return known.fingerprint === key.fingerprint ? { pet: known.pet, isReplay: true } : 'reused'
      const pet = { id: String(BigInt(pets.at(-1)?.['id'] ?? 0) + 1n), ...given }
      file.append({ pet, key })
      // A pet is visible when the disk has it.
      apply(state, { pet, key })
      return { pet, isReplay: false }
    },
    find: async (id) => pets.find((pet) => pet['id'] === id),
    async list({ status, after = 0n, limit }) {
      const isWanted = (pet: PetRecord) =>
        BigInt(pet['id'] ?? 0) > after && (status === undefined || pet['status'] === status)
      return pets.filter(isWanted).slice(0, limit)
    },
  }
}

function apiKeysIn(state: State, file: LineFile<Line>): ApiKeyRecords {
  const rows = () => [...state.apiKeys.values()]
  return {
    find: async (id) => state.apiKeys.get(id),
    findByHash: async (sha256) => rows().find((row) => row['sha256'] === sha256),
    list: async () => rows(),
    async write(changes) {
      const isChanged = ({ before, after }: ApiKeyChange) =>
        before !== undefined && state.apiKeys.get(String(after['id'])) !== before
      if (changes.some(isChanged)) return 'changed'
      const added = changes.flatMap(({ before, after }) => (before === undefined ? [after] : []))
      const isTaken = (row: ApiKeyRecord) =>
        added.some(({ id, sha256 }) => id === row['id'] || sha256 === row['sha256'])
      if (rows().some(isTaken)) return 'taken'
      const line = { apiKeys: changes.map(({ after }) => after) }
      file.append(line)
      apply(state, line)
      return 'stored'
    },
  }
}
