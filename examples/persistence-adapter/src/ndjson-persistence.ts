// A persistence adapter in one module: pets, API keys and rate limits in a file with one JSON
// object per line, for one process at a time. Use it with
// PERSISTENCE_MODULE=./dist/ndjson-persistence.js DATABASE_URL=data/pets.ndjson
import { type FileHandle, open, stat } from 'node:fs/promises'
import { type ApiKeyRepository, createMemoryRateLimiter } from '@pet-store/access'
import {
  IDEMPOTENCY_KEY_LIFETIME_MS,
  type IdempotencyKey,
  type NewPet,
  PET_FIELDS,
  type Pet,
  PetError,
  type PetRepository,
} from '@pet-store/domain'
import {
  type ApiKeyRecord,
  apiKeyFromRecord,
  apiKeyToRecord,
  type CallGuard,
  createCallGuard,
  type OpenPersistence,
  type PersistenceCapabilities,
  replacedRecord,
  revokedRecord,
  usedRecord,
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
  const isThere = await stat(url).catch(() => undefined)
  if (isThere === undefined && mode !== 'migrate') throw new Error(`There is no file ${url}.`)
  const unlock = mode === 'read' ? async () => {} : await lock(url)
  let handle: FileHandle | undefined
  try {
    handle = await open(url, mode === 'read' ? 'r' : 'a+')
    const file = new LineFile<Line>(handle, url)
    const state: State = { pets: [], created: new Map(), apiKeys: new Map() }
    for (const line of await file.readLines(mode === 'read')) apply(state, line)
    // One write at a time, so that the first of two with a key decides. A database would write
    // several at once.
    const guard = createCallGuard({ outcomeOf, concurrency: 1 })
    return {
      pets: petsIn(state, file, guard),
      apiKeys: apiKeysIn(state, file, guard),
      createRateLimiter(limit) {
        const { take } = createMemoryRateLimiter(limit)
        return {
          take: (keyId) =>
            guard.read(async () => {
              await file.assertThere()
              return take(keyId)
            }),
        }
      },
      check: () => file.assertThere(),
      async close() {
        await guard.finish()
        await handle?.close()
        await unlock()
      },
    }
  } catch (error) {
    await handle?.close()
    await unlock()
    throw error
  }
}

export default openNdjsonPersistence

/** What the file contains. */
interface State {
  /** By ascending id, which is the order of the lines. */
  readonly pets: Pet[]
  /** Pets by owner and idempotency key. */
  readonly created: Map<string, { readonly key: StoredKey; readonly pet: Pet }>
  readonly apiKeys: Map<string, ApiKeyRecord>
}

type StoredKey = Omit<IdempotencyKey, 'at'> & { readonly at: number }

/** What one write changes. Integers are text, because JSON.parse rounds them beyond 2^53. */
interface Line {
  readonly pet?: Readonly<Record<string, unknown>>
  readonly key?: StoredKey
  readonly apiKeys?: readonly ApiKeyRecord[]
}

function apply(state: State, { pet: fields, key, apiKeys = [] }: Line): void {
  for (const record of apiKeys) state.apiKeys.set(String(record['id']), record)
  if (fields === undefined) return
  const pet = petFrom(fields)
  state.pets.push(pet)
  if (key !== undefined) state.created.set(JSON.stringify([key.owner, key.key]), { key, pet })
}

/** Every field that is an integer; a new field needs no change here. */
const INTEGERS = new Set(['id'])
for (const [name, { isInteger }] of Object.entries(PET_FIELDS)) if (isInteger) INTEGERS.add(name)

function petFrom(fields: Readonly<Record<string, unknown>>): Pet {
  const values = Object.entries(fields).map(([name, value]) => {
    return [name, INTEGERS.has(name) ? BigInt(value as string) : value]
  })
  return Object.fromEntries(values)
}

function lineOf(pet: NewPet, id: bigint, key?: StoredKey): Line {
  const fields = Object.entries({ id, ...pet }).map(([name, value]) => {
    return [name, typeof value === 'bigint' ? String(value) : value]
  })
  return { pet: Object.fromEntries(fields), ...(key !== undefined && { key }) }
}

function petsIn(state: State, file: LineFile<Line>, guard: CallGuard): PetRepository {
  const { pets } = state
  async function store(pet: NewPet, key?: StoredKey): Promise<Pet> {
    const line = lineOf(pet, (pets.at(-1)?.id ?? 0n) + 1n, key)
    await file.append(line)
    // A pet is visible when the disk has it.
    apply(state, line)
    return { ...(pets.at(-1) as Pet) }
  }
  return {
    async add(pet, cancellation) {
      const copy = { ...pet }
      return guard.write(() => store(copy), cancellation)
    },
    async addWithKey(pet, { at = new Date(), ...given }, cancellation) {
      const copy = { ...pet }
      const key = { ...given, at: at.getTime() }
      return guard.write(async () => {
        const known = createdBefore(state, key)
        if (known !== undefined) return { pet: { ...known }, isReplay: true }
        return { pet: await store(copy, key), isReplay: false }
      }, cancellation)
    },
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

function apiKeysIn({ apiKeys }: State, file: LineFile<Line>, guard: CallGuard): ApiKeyRepository {
  async function store(...records: readonly ApiKeyRecord[]): Promise<void> {
    await file.append({ apiKeys: records })
    for (const record of records) apiKeys.set(String(record['id']), record)
  }
  function assertFree({ id, sha256 }: { readonly id: string; readonly sha256: string }): void {
    const isTaken = [...apiKeys.values()].some(
      (one) => one['id'] === id || one['sha256'] === sha256,
    )
    if (isTaken) throw new Error('The id or the hash is taken.')
  }
  return {
    add: (key) =>
      guard.write(async () => {
        assertFree(key)
        await store(apiKeyToRecord(key))
      }),
    replace: (id, successor, until) =>
      guard.write(async () => {
        const old = apiKeys.get(id)
        if (old === undefined) throw new Error('There is no such key.')
        const replaced = replacedRecord(old, successor.id, until)
        if (replaced === undefined) return false
        assertFree(successor)
        await store(replaced, apiKeyToRecord(successor))
        return true
      }),
    async find(id) {
      const record = apiKeys.get(id)
      return record && apiKeyFromRecord(record)
    },
    async findByHash(sha256) {
      const record = [...apiKeys.values()].find((one) => one['sha256'] === sha256)
      return record && apiKeyFromRecord(record)
    },
    async list() {
      const keys = [...apiKeys.values()].map(apiKeyFromRecord)
      return keys.sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
    },
    revoke: (id, at, by) =>
      guard.write(async () => {
        const record = apiKeys.get(id)
        if (record !== undefined) await store(revokedRecord(record, at, by))
        return record !== undefined
      }),
    markUsed: (uses) =>
      guard.write(async () => {
        const changed = new Map<string, ApiKeyRecord>()
        for (const use of uses) {
          const record = changed.get(use.id) ?? apiKeys.get(use.id)
          if (record !== undefined) changed.set(use.id, usedRecord(record, use))
        }
        if (changed.size > 0) await store(...changed.values())
      }),
  }
}
