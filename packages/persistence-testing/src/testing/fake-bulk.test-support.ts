import { INT64, type NewPet, type Pet, type PetQuery } from '@pet-store/domain'
import type { PetMemory } from '@pet-store/domain/memory'
import type {
  BulkAccess,
  IdempotencyKeyId,
  PetImport,
  PetImportProgress,
  StoredApiKey,
  StoredIdempotencyKey,
} from '@pet-store/persistence'
import { type ApiKeyRow, FakeApiKeys } from './fake-api-keys.test-support.ts'
import { createFakePets, type FakePets, textOf } from './fake-pets.test-support.ts'
import { broken } from './fault.test-support.ts'

/**
 * Correct bulk access in small parts, each of which a fault can replace. It shares the rows of the
 * other fakes.
 */
export class FakeBulk implements BulkAccess {
  imports: PetImport[]
  readonly pets: FakePets
  readonly memory: PetMemory
  readonly apiKeys: FakeApiKeys

  constructor(
    pets: FakePets = createFakePets(),
    apiKeys: FakeApiKeys = new FakeApiKeys(),
    imports: PetImport[] = [],
  ) {
    this.pets = pets
    this.memory = pets.memory
    this.apiKeys = apiKeys
    this.imports = imports
  }

  async countPets(): Promise<number> {
    return this.memory.pets.size
  }

  async readPets(query: PetQuery): Promise<readonly Pet[]> {
    return this.pets.list(query)
  }

  async writePets(pets: readonly Pet[]): Promise<void> {
    const stored = this.memory.pets
    if (pets.some(({ id }) => stored.has(id))) broken()
    if (new Set(pets.map(({ id }) => id)).size < pets.length) broken()
    const all = [...stored.values(), ...pets].toSorted((one, other) => (one.id < other.id ? -1 : 1))
    stored.clear()
    for (const pet of all) stored.set(pet.id, { ...pet })
    this.memory.lastId = greaterOf(this.memory.lastId, all.at(-1)?.id ?? 0n)
  }

  assertIds(count: number): void {
    if (this.memory.lastId + BigInt(count) > INT64.max) broken()
  }

  isWhere(stored: PetImport | undefined, from: PetImport | undefined): boolean {
    return (
      stored?.lines === from?.lines &&
      stored?.state === from?.state &&
      stored?.sha256 === from?.sha256
    )
  }

  async addPets(pets: readonly NewPet[], progress?: PetImportProgress): Promise<void> {
    const copies = pets.map((pet) => ({ ...pet }))
    this.assertIds(pets.length)
    if (progress !== undefined) this.advance(progress)
    // Each is stored before the call returns.
    await Promise.all(copies.map((pet) => this.pets.add(pet)))
  }

  advance({ from, to }: PetImportProgress): void {
    const id = from?.id ?? to.id
    const stored = this.imports.find((one) => one.id === id)
    if (!this.isWhere(stored, from)) broken()
    this.storeImport({ ...to, id })
  }

  storeImport(item: PetImport): void {
    this.imports = [...this.imports.filter(({ id }) => id !== item.id), item]
    this.imports.sort((one, other) => (one.id < other.id ? -1 : 1))
  }

  async readPetImports(): Promise<readonly PetImport[]> {
    return [...this.imports]
  }

  async writePetImports(imports: readonly PetImport[]): Promise<void> {
    for (const item of imports.map((one) => ({ ...one }))) this.storeImport(item)
  }

  async readIdempotencyKeys(
    limit: number,
    after?: IdempotencyKeyId,
  ): Promise<readonly StoredIdempotencyKey[]> {
    const orderOf = ({ owner, key }: IdempotencyKeyId): string => `${owner}\0${key}`
    return [...this.memory.keys.values()]
      .map(({ key, id }) => ({ ...key, petId: id }))
      .toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
      .filter((one) => after === undefined || orderOf(one) > orderOf(after))
      .slice(0, limit)
  }

  async writeIdempotencyKeys(keys: readonly StoredIdempotencyKey[]): Promise<void> {
    for (const { petId, ...key } of keys.map((key) => ({ ...key }))) {
      if (!this.memory.pets.has(petId)) broken()
      this.memory.keys.set(textOf(key), { key, id: petId })
    }
  }

  async readApiKeys(): Promise<readonly StoredApiKey[]> {
    const byId = this.apiKeys.rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    return byId.map((row) => this.toStored(row))
  }

  toStored({ replacedBy, ownExpiresAt, expiresAt, ...row }: ApiKeyRow): StoredApiKey {
    const own = replacedBy === undefined ? expiresAt : ownExpiresAt
    return { ...row, ...(own && { expiresAt: own }) }
  }

  async writeApiKeys(keys: readonly StoredApiKey[]): Promise<void> {
    const ids = new Set(keys.map(({ id }) => id))
    const others = this.apiKeys.rows.filter(({ id }) => !ids.has(id))
    const taken = new Set(others.map(({ sha256 }) => sha256))
    if (keys.some(({ sha256 }) => taken.has(sha256))) broken()
    if (new Set(keys.map(({ sha256 }) => sha256)).size < keys.length) broken()
    this.apiKeys.rows.length = 0
    for (const key of [...others, ...keys]) this.apiKeys.rows.push({ ...key })
    for (const { id, replaces, overlapUntil } of this.successorsBeside(keys)) {
      const old = this.apiKeys.rows.find((row) => row.id === replaces)
      if (old && overlapUntil && old.replacedBy === undefined)
        this.apiKeys.end(old.id, this.apiKeys.endOf(old, overlapUntil), id)
    }
  }

  /** Those that were written before the keys that they replace are among them. */
  successorsBeside(_: readonly StoredApiKey[]): readonly StoredApiKey[] {
    return [...this.apiKeys.rows]
  }

  async lastPetId(): Promise<bigint> {
    return this.memory.lastId
  }

  async movePetIdsPast(id: bigint): Promise<void> {
    if (id > this.memory.lastId) this.memory.lastId = id
  }

  async close(): Promise<void> {}
}

function greaterOf(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
