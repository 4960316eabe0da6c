import {
  type Cancellation,
  type CreatedPet,
  IDEMPOTENCY_KEY_LIFETIME_MS,
  type IdempotencyKey,
  INT64,
  type NewPet,
  type Pet,
  PetError,
  type PetQuery,
  type PetRepository,
  type PetStatus,
  persistenceUnavailable,
} from '@pet-store/domain'
import { type Fault, type Faults, faultsOf } from './fault.test-support.ts'

/** A correct repository in small parts, each of which a fault can replace. */
export class FakePets implements PetRepository {
  readonly rows: Pet[] = []
  readonly keys: Map<string, { readonly key: IdempotencyKey; readonly pet: Pet }> = new Map()
  lastId: bigint = 0n
  /** The time between looking for a key and storing it; a correct repository has none. */
  gap: (() => Promise<void>) | undefined = undefined

  nextId(): unknown {
    if (this.lastId === INT64.max) throw new Error('There are no more ids.')
    return ++this.lastId
  }

  toRow(pet: NewPet): object {
    return { ...pet }
  }

  give(pet: Pet, _operation: 'add' | 'find' | 'list'): object {
    return { ...pet }
  }

  hasId(row: Pet, id: bigint): boolean {
    return row.id === id
  }

  hasStatus(row: Pet, status: PetStatus | undefined): boolean {
    return status === undefined || row.status === status
  }

  isAfter(row: Pet, after: bigint | undefined): boolean {
    return after === undefined || row.id > after
  }

  select({ status, after, limit }: PetQuery): readonly Pet[] {
    return this.rows.filter((row) => this.isAfter(row, after) && this.hasStatus(row, status)).slice(0, limit)
  }

  keyText({ owner, key }: IdempotencyKey): string {
    return JSON.stringify([owner, key])
  }

  isSameContent(one: string, other: string): boolean {
    return one === other
  }

  isExpired(first: Date, now: Date): boolean {
    return now.getTime() - first.getTime() >= IDEMPOTENCY_KEY_LIFETIME_MS
  }

  insert(pet: NewPet): Pet {
    const row = Object.assign(this.toRow(pet), { id: this.nextId() }) as Pet
    this.rows.push(row)
    return row
  }

  isStored({ id }: Pet): boolean {
    return this.rows.some((row) => row.id === id)
  }

  throwIfCancelled(cancellation: Cancellation | undefined): void {
    if (cancellation?.aborted) throw persistenceUnavailable({ outcome: 'not_stored' })
  }

  async add(pet: NewPet, cancellation?: Cancellation): Promise<Pet> {
    this.throwIfCancelled(cancellation)
    return this.give(this.insert(pet), 'add') as Pet
  }

  async addWithKey(pet: NewPet, key: IdempotencyKey, cancellation?: Cancellation): Promise<CreatedPet> {
    this.throwIfCancelled(cancellation)
    const text = this.keyText(key)
    const known = this.keys.get(text)
    if (this.gap !== undefined) await this.gap()
    if (known !== undefined && !this.isExpired(known.key.at, key.at)) {
      if (!this.isSameContent(known.key.fingerprint, key.fingerprint)) {
        throw new PetError('idempotency_key_reused', 'The key was used for another pet.')
      }
      if (this.isStored(known.pet)) return { pet: this.give(known.pet, 'add') as Pet, isReplay: true }
    }
    const added = this.insert(pet)
    this.keys.set(text, { key, pet: added })
    return { pet: this.give(added, 'add') as Pet, isReplay: false }
  }

  async find(id: bigint): Promise<Pet | undefined> {
    const row = this.rows.find((candidate) => this.hasId(candidate, id))
    return row && (this.give(row, 'find') as Pet)
  }

  async list(query: PetQuery): Promise<readonly Pet[]> {
    return this.select(query).map((row) => this.give(row, 'list') as Pet)
  }
}

/** Faults of pets. */
export function petFaults(group: string, ...faults: readonly Faults<FakePets>[]): readonly Fault<PetRepository>[] {
  return faultsOf(() => new FakePets(), group, ...faults)
}

export const OPERATIONS = ['add', 'find', 'list'] as const
