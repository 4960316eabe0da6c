// Pets in a file of lines, one JSON object each, that only ever grows: an adapter of another team, in one file.
// Serve it with PERSISTENCE_MODULE=./examples/ndjson-persistence.ts DATABASE_URL=data/pets.ndjson
import { type FileHandle, open } from 'node:fs/promises'
import {
  type CreatedPet,
  IDEMPOTENCY_KEY_LIFETIME_MS,
  type IdempotencyKey,
  type NewPet,
  type Pet,
  PetError,
  type PetQuery,
} from '@pet-store/domain'
import type { OpenPersistence } from '@pet-store/persistence'

/** A pet as a line. Integers are texts, because JSON.parse rounds them beyond 2^53. */
interface Line {
  readonly id: string
  readonly name: string
  readonly categoryId: string
  readonly status?: Pet['status']
  readonly idempotency?: {
    readonly owner: string
    readonly key: string
    readonly fingerprint: string
    readonly at: number
  }
}

const openNdjsonPersistence: OpenPersistence = async ({ url }) => {
  const file = await open(url, 'a+')
  const lines = await readLines(file)
  return {
    pets: new NdjsonPets(file, lines),
    check: async () => void (await file.stat()),
    close: () => file.close(),
  }
}

export default openNdjsonPersistence

class NdjsonPets {
  readonly #file: FileHandle
  /** By ascending id, since they are added in this order. */
  readonly #pets: Pet[] = []
  readonly #created = new Map<string, { readonly idempotency: NonNullable<Line['idempotency']>; readonly pet: Pet }>()
  /** The add that is being written; the next one waits for it, so ids grow in the order of lines. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(file: FileHandle, lines: readonly Line[]) {
    this.#file = file
    for (const line of lines) this.#remember(line)
  }

  add(pet: NewPet): Promise<Pet> {
    return this.#afterOthers(() => this.#store(pet))
  }

  addWithKey(pet: NewPet, key: IdempotencyKey): Promise<CreatedPet> {
    return this.#afterOthers(async () => {
      const known = this.#createdBefore(key)
      if (known !== undefined) return { pet: { ...known }, isReplay: true }
      return { pet: await this.#store(pet, key), isReplay: false }
    })
  }

  async find(id: bigint): Promise<Pet | undefined> {
    const pet = this.#pets.find((known) => known.id === id)
    return pet && { ...pet }
  }

  async list({ status, after, limit }: PetQuery): Promise<readonly Pet[]> {
    return this.#pets
      .filter((pet) => (after === undefined || pet.id > after) && (status === undefined || pet.status === status))
      .slice(0, limit)
      .map((pet) => ({ ...pet }))
  }

  #afterOthers<Result>(write: () => Promise<Result>): Promise<Result> {
    const writing = this.#last.then(write)
    this.#last = writing.catch(() => {})
    return writing
  }

  async #store({ name, categoryId, status }: NewPet, key?: IdempotencyKey): Promise<Pet> {
    const line: Line = {
      id: String((this.#pets.at(-1)?.id ?? 0n) + 1n),
      name,
      categoryId: String(categoryId),
      ...(status !== undefined && { status }),
      ...(key !== undefined && { idempotency: { ...key, at: key.at.getTime() } }),
    }
    await this.#append(`${JSON.stringify(line)}\n`)
    return { ...this.#remember(line) }
  }

  /** Waits for the disk. A line that could not be written whole goes again, or the next one would be written behind it. */
  async #append(line: string): Promise<void> {
    const { size } = await this.#file.stat()
    try {
      await this.#file.appendFile(line)
      await this.#file.datasync()
    } catch (error) {
      await this.#file.truncate(size)
      throw error
    }
  }

  #createdBefore({ owner, key, fingerprint, at }: IdempotencyKey): Pet | undefined {
    const known = this.#created.get(JSON.stringify([owner, key]))
    if (known === undefined || at.getTime() - known.idempotency.at >= IDEMPOTENCY_KEY_LIFETIME_MS) return undefined
    if (known.idempotency.fingerprint === fingerprint) return known.pet
    throw new PetError('idempotency_key_reused', 'This key was used to create another pet.')
  }

  #remember({ id, name, categoryId, status, idempotency }: Line): Pet {
    const pet: Pet = { id: BigInt(id), name, categoryId: BigInt(categoryId), ...(status !== undefined && { status }) }
    this.#pets.push(pet)
    if (idempotency !== undefined) {
      this.#created.set(JSON.stringify([idempotency.owner, idempotency.key]), { idempotency, pet })
    }
    return pet
  }
}

/** Every whole line. What stands behind the last end of a line was cut off by a crash and never answered: it goes. */
async function readLines(file: FileHandle): Promise<readonly Line[]> {
  const bytes = await file.readFile()
  const end = bytes.lastIndexOf('\n') + 1
  if (end < bytes.length) await file.truncate(end)
  const texts = bytes.subarray(0, end).toString().split('\n').slice(0, -1)
  return texts.map((text) => JSON.parse(text) as Line)
}
