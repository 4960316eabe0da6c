import type { NewPet, Pet, PetQuery } from '@pet-store/domain'
import type {
  BulkAccess,
  IdempotencyKeyId,
  PetImport,
  PetImportProgress,
  StoredApiKey,
  StoredIdempotencyKey,
} from '@pet-store/persistence'
import { type ApiKeyRow, FakeApiKeys } from './fake-api-keys.test-support.ts'
import { FakePets } from './fake-pets.test-support.ts'
import { broken } from './fault.test-support.ts'

/** Correct bulk access in small parts, each of which a fault can replace. It shares the rows of the other fakes. */
export class FakeBulk implements BulkAccess {
  imports: PetImport[] = []
  readonly pets: FakePets
  readonly apiKeys: FakeApiKeys

  constructor(pets: FakePets = new FakePets(), apiKeys: FakeApiKeys = new FakeApiKeys(), imports: PetImport[] = []) {
    this.pets = pets
    this.apiKeys = apiKeys
    this.imports = imports
  }

  async countPets(): Promise<number> {
    return this.pets.rows.length
  }

  async readPets(query: PetQuery): Promise<readonly Pet[]> {
    return this.pets.list(query)
  }

  async writePets(pets: readonly Pet[]): Promise<void> {
    if (pets.some(({ id }) => this.pets.rows.some((row) => row.id === id))) broken()
    this.pets.rows.push(...pets.map((pet) => ({ ...pet })))
    this.pets.rows.sort((one, other) => (one.id < other.id ? -1 : 1))
  }

  isWhere(stored: PetImport | undefined, from: PetImport | undefined): boolean {
    return stored?.lines === from?.lines && stored?.state === from?.state
  }

  async addPets(pets: readonly NewPet[], progress?: PetImportProgress): Promise<void> {
    const copies = pets.map((pet) => ({ ...pet }))
    if (progress !== undefined) this.advance(progress)
    for (const pet of copies) this.pets.insert(pet)
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
    for (const item of imports) this.storeImport(item)
  }

  async readIdempotencyKeys(limit: number, after?: IdempotencyKeyId): Promise<readonly StoredIdempotencyKey[]> {
    const textOf = ({ owner, key }: IdempotencyKeyId): string => `${owner}\0${key}`
    return [...this.pets.keys.values()]
      .map(({ key, pet }) => ({ ...key, petId: pet.id }))
      .toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1))
      .filter((one) => after === undefined || textOf(one) > textOf(after))
      .slice(0, limit)
  }

  async writeIdempotencyKeys(keys: readonly StoredIdempotencyKey[]): Promise<void> {
    for (const { petId, ...key } of keys) {
      const pet = this.pets.rows.find(({ id }) => id === petId) ?? broken()
      this.pets.keys.set(this.pets.keyText(key), { key, pet })
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
    if (keys.some(({ sha256 }) => others.some((other) => other.sha256 === sha256))) broken()
    this.apiKeys.rows.splice(0, Number.POSITIVE_INFINITY, ...others, ...keys.map((key) => ({ ...key })))
    for (const { id, replaces, overlapUntil } of keys) {
      const old = this.apiKeys.rows.find((row) => row.id === replaces)
      if (old && overlapUntil) this.apiKeys.end(old.id, this.apiKeys.endOf(old, overlapUntil), id)
    }
  }

  async lastPetId(): Promise<bigint> {
    return this.pets.lastId
  }

  async movePetIdsPast(id: bigint): Promise<void> {
    if (id > this.pets.lastId) this.pets.lastId = id
  }

  async close(): Promise<void> {}
}
