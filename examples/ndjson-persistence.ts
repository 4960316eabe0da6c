// A persistence adapter in one module: pets in a file with one JSON object per line, for one process at a time.
// Use it with PERSISTENCE_MODULE=./examples/ndjson-persistence.ts DATABASE_URL=data/pets.ndjson
import { type FileHandle, open, stat } from 'node:fs/promises'
import {
  type Cancellation,
  type CreatedPet,
  IDEMPOTENCY_KEY_LIFETIME_MS,
  type IdempotencyKey,
  type NewPet,
  type Pet,
  PetError,
  type PetQuery,
  type PetRepository,
} from '@pet-store/domain'
import { type OpenPersistence, PersistenceUnavailable } from '@pet-store/persistence'

/** A pet as a line. Integers are strings, because JSON.parse rounds them beyond 2^53. */
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
  const pets = new NdjsonPets(file, lines)
  return {
    pets,
    async check() {
      // A file that was moved or deleted would take pets that nobody finds again.
      if ((await stat(url)).ino !== (await file.stat()).ino) throw new Error(`${url} was replaced by another file.`)
    },
    async close() {
      await pets.finish()
      await file.close()
    },
  }
}

export default openNdjsonPersistence

class NdjsonPets implements PetRepository {
  readonly #file: FileHandle
  /** By ascending id, which is the order of the lines. */
  readonly #pets: Pet[] = []
  readonly #created = new Map<string, { readonly idempotency: NonNullable<Line['idempotency']>; readonly pet: Pet }>()
  /** The add that is being written; the next one waits for it, so that ids increase in the order of the lines. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(file: FileHandle, lines: readonly Line[]) {
    this.#file = file
    for (const line of lines) this.#remember(line)
  }

  add(pet: NewPet, cancellation?: Cancellation): Promise<Pet> {
    return this.#afterOthers(cancellation, () => this.#store(pet))
  }

  addWithKey(pet: NewPet, key: IdempotencyKey, cancellation?: Cancellation): Promise<CreatedPet> {
    return this.#afterOthers(cancellation, async () => {
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

  /** Resolves when all adds that were begun have ended. */
  async finish(): Promise<void> {
    await this.#last
  }

  #afterOthers<Result>(cancellation: Cancellation | undefined, write: () => Promise<Result>): Promise<Result> {
    const writing = this.#last.then(() => {
      if (cancellation?.aborted) throw new PersistenceUnavailable({ message: 'The request was cancelled.' })
      return write()
    })
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

  /** Waits for the disk. A line that was not written completely is removed, so that the next one starts a new line. */
  async #append(line: string): Promise<void> {
    const { size } = await this.#file.stat()
    try {
      await this.#file.appendFile(line)
      await this.#file.datasync()
    } catch (error) {
      const isRemoved = await this.#file.truncate(size).then(
        () => true,
        () => false,
      )
      throw new PersistenceUnavailable({ cause: error, outcome: isRemoved ? 'not_stored' : 'unknown' })
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

/** Reads the complete lines. Text after the last line feed was cut off by a crash and never acknowledged: it is removed. */
async function readLines(file: FileHandle): Promise<readonly Line[]> {
  const bytes = await file.readFile()
  const end = bytes.lastIndexOf('\n') + 1
  if (end < bytes.length) await file.truncate(end)
  const texts = bytes.subarray(0, end).toString().split('\n').slice(0, -1)
  return texts.map((text) => JSON.parse(text) as Line)
}
