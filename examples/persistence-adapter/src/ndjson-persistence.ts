// A persistence adapter in one module: pets, API keys and rate limits in a file with one JSON
// object per line, for one process at a time. Use it with
// PERSISTENCE_MODULE=./dist/ndjson-persistence.js DATABASE_URL=data/pets.ndjson
import { existsSync } from 'node:fs'
import { createMemoryRateLimiter } from '@pet-store/access'
import {
  IDEMPOTENCY_KEY_LIFETIME_MS,
  type IdempotencyKey,
  type NewPet,
  type Pet,
  PetError,
  type PetRepository,
} from '@pet-store/domain'
import {
  type ApiKeyChange,
  type ApiKeyRecord,
  type ApiKeyRecords,
  type CallGuard,
  createCallGuard,
  createRecordApiKeys,
  type OpenPersistence,
  type Persistence,
  type PersistenceCapabilities,
  type PetRecord,
  petFromRecord,
  petToRecord,
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
  const state: State = { pets: [], created: new Map(), apiKeys: new Map() }
  for (const line of file.readLines(isReadOnly)) apply(state, line)
  const guard = createCallGuard({ outcomeOf })
  return {
    pets: petsIn(state, file, guard),
    apiKeys: createRecordApiKeys(apiKeysIn(state, file), guard),
    createRateLimiter(limit) {
      const { take } = createMemoryRateLimiter(limit)
      return {
        take: (keyId) =>
          guard.read(async () => {
            file.assertThere()
            return take(keyId)
          }),
      }
    },
    check: async () => file.assertThere(),
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
  readonly pets: Pet[]
  /** Pets by owner and idempotency key. */
  readonly created: Map<string, { readonly key: StoredKey; readonly pet: Pet }>
  readonly apiKeys: Map<string, ApiKeyRecord>
}

type StoredKey = Omit<IdempotencyKey, 'at'> & { readonly at: number }

/** What one write changes. */
interface Line {
  readonly pet?: PetRecord
  readonly key?: StoredKey | undefined
  readonly apiKeys?: readonly ApiKeyRecord[]
}

function apply(state: State, { pet: record, key, apiKeys = [] }: Line): void {
  for (const row of apiKeys) state.apiKeys.set(String(row['id']), row)
  if (record === undefined) return
  const pet = petFromRecord(record)
  state.pets.push(pet)
  if (key !== undefined) state.created.set(JSON.stringify([key.owner, key.key]), { key, pet })
}

function petsIn(state: State, file: LineFile<Line>, guard: CallGuard): PetRepository {
  const { pets } = state
  function store(pet: NewPet, key?: StoredKey): Pet {
    const line = { pet: petToRecord(pet, (pets.at(-1)?.id ?? 0n) + 1n), key }
    file.append(line)
    // A pet is visible when the disk has it.
    apply(state, line)
    return { ...(pets.at(-1) as Pet) }
  }
  return {
    add: (pet, cancellation) => guard.write(async () => store(pet), cancellation),
    addWithKey: (pet, { at = new Date(), ...given }, cancellation) =>
      guard.write(async () => {
        const key = { ...given, at: at.getTime() }
        const known = createdBefore(state, key)
        if (known !== undefined) return { pet: { ...known }, isReplay: true }
        return { pet: store(pet, key), isReplay: false }
      }, cancellation),
    async find(id) {
      const pet = pets.find((known) => known.id === id)
      return pet && { ...pet }
    },
    async list({ status, after, limit }) {
      const isWanted = (pet: Pet) =>
        (after === undefined || pet.id > after) && (status === undefined || pet.status === status)
      return pets
        .filter(isWanted)
        .slice(0, limit)
        .map((pet) => ({ ...pet }))
    },
  }
}

function createdBefore({ created }: State, used: StoredKey): Pet | undefined {
  const known = created.get(JSON.stringify([used.owner, used.key]))
  if (known === undefined || used.at - known.key.at >= IDEMPOTENCY_KEY_LIFETIME_MS) return undefined
  if (known.key.fingerprint === used.fingerprint) return known.pet
  throw new PetError('idempotency_key_reused', 'This key was used to create another pet.')
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
