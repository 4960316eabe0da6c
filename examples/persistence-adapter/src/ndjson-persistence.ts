// A persistence adapter in one module: pets in a file with one JSON object per line, for one
// process at a time. Use it with PERSISTENCE_MODULE=./dist/ndjson-persistence.js
// DATABASE_URL=data/pets.ndjson
import { type FileHandle, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
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
  persistenceUnavailable,
} from '@pet-store/domain'
import type { OpenPersistence, PersistenceCapabilities } from '@pet-store/persistence'

export const capabilities: PersistenceCapabilities = {
  severalProcesses: false,
  sharedLimits: false,
  bulkAccess: false,
  replicas: false,
}

const openNdjsonPersistence: OpenPersistence = async ({ url, mode }) => {
  const readOnly = mode === 'read'
  const isThere = await stat(url).catch(() => undefined)
  if (isThere === undefined && mode !== 'migrate') throw new Error(`There is no file ${url}.`)
  const unlock = readOnly ? async () => {} : await lock(url)
  try {
    const file = await open(url, readOnly ? 'r' : 'a+')
    const pets = new NdjsonPets(file, url, await readLines(file, readOnly))
    return {
      pets,
      check: () => pets.expectFile(),
      async close() {
        await pets.finish()
        await file.close()
        await unlock()
      },
    }
  } catch (error) {
    await unlock()
    throw error
  }
}

export default openNdjsonPersistence

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

const MAX_WAITING = 10_000

class NdjsonPets implements PetRepository {
  readonly #file: FileHandle
  readonly #url: string
  /** By ascending id, which is the order of the lines. */
  readonly #pets: Pet[] = []
  readonly #created = new Map<
    string,
    { readonly idempotency: NonNullable<Line['idempotency']>; readonly pet: Pet }
  >()
  /** Adds that wait for their turn or the disk, and the end of the last one. */
  #waiting = 0
  #writing: Promise<unknown> = Promise.resolve()

  constructor(file: FileHandle, url: string, lines: readonly Line[]) {
    this.#file = file
    this.#url = url
    for (const line of lines) this.#remember(line)
  }

  async add(pet: NewPet, cancellation?: Cancellation): Promise<Pet> {
    const copy = { ...pet }
    return this.#inTurn(() => this.#store(copy, cancellation))
  }

  async addWithKey(
    pet: NewPet,
    key: IdempotencyKey,
    cancellation?: Cancellation,
  ): Promise<CreatedPet> {
    const copy = { ...pet }
    return this.#inTurn(async () => {
      const known = this.#createdBefore(key)
      if (known !== undefined) return { pet: { ...known }, isReplay: true }
      return { pet: await this.#store(copy, cancellation, key), isReplay: false }
    })
  }

  async find(id: bigint): Promise<Pet | undefined> {
    const pet = this.#pets.find((known) => known.id === id)
    return pet && { ...pet }
  }

  async list({ status, after, limit }: PetQuery): Promise<readonly Pet[]> {
    return this.#pets
      .filter(
        (pet) =>
          (after === undefined || pet.id > after) &&
          (status === undefined || pet.status === status),
      )
      .slice(0, limit)
      .map((pet) => ({ ...pet }))
  }

  /** Rejects when the file was moved or deleted: it would take pets that nobody finds again. */
  async expectFile(): Promise<void> {
    if ((await stat(this.#url)).ino !== (await this.#file.stat()).ino) {
      throw new Error(`${this.#url} was replaced by another file.`)
    }
  }

  /** Resolves when all adds that were begun have ended. */
  async finish(): Promise<void> {
    await this.#writing
  }

  /**
   * One add at a time, so that the first of two with a key decides. A database would write several
   * at once.
   */
  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= MAX_WAITING)
      throw persistenceUnavailable({ message: 'Too many pets wait.' })
    this.#waiting += 1
    const result = this.#writing.then(work)
    this.#writing = result.catch(() => {}).finally(() => (this.#waiting -= 1))
    return result
  }

  /** A pet is visible when the disk has it. */
  async #store(
    { name, categoryId, status }: NewPet,
    cancellation?: Cancellation,
    key?: IdempotencyKey,
  ): Promise<Pet> {
    if (cancellation?.aborted)
      throw persistenceUnavailable({ message: 'The request was cancelled.' })
    const line: Line = {
      id: String((this.#pets.at(-1)?.id ?? 0n) + 1n),
      name,
      categoryId: String(categoryId),
      ...(status !== undefined && { status }),
      ...(key !== undefined && { idempotency: { ...key, at: timeOf(key) } }),
    }
    await this.#append(`${JSON.stringify(line)}\n`)
    return { ...this.#remember(line) }
  }

  /** Text that was not written completely is removed, so that the next line starts a new one. */
  async #append(text: string): Promise<void> {
    await this.expectFile().catch((cause: unknown) => {
      throw persistenceUnavailable({ cause, message: 'The file is unavailable.' })
    })
    const { size } = await this.#file.stat()
    try {
      await this.#file.appendFile(text)
      await this.#file.datasync()
    } catch (cause) {
      const isRemoved = await this.#file.truncate(size).then(
        () => true,
        () => false,
      )
      throw persistenceUnavailable({ cause, outcome: isRemoved ? 'not_stored' : 'unknown' })
    }
  }

  #createdBefore(used: IdempotencyKey): Pet | undefined {
    const { owner, key, fingerprint } = used
    const known = this.#created.get(JSON.stringify([owner, key]))
    if (known === undefined || timeOf(used) - known.idempotency.at >= IDEMPOTENCY_KEY_LIFETIME_MS)
      return undefined
    if (known.idempotency.fingerprint === fingerprint) return known.pet
    throw new PetError('idempotency_key_reused', 'This key was used to create another pet.')
  }

  #remember({ id, name, categoryId, status, idempotency }: Line): Pet {
    const pet: Pet = {
      id: BigInt(id),
      name,
      categoryId: BigInt(categoryId),
      ...(status !== undefined && { status }),
    }
    this.#pets.push(pet)
    if (idempotency !== undefined) {
      this.#created.set(JSON.stringify([idempotency.owner, idempotency.key]), { idempotency, pet })
    }
    return pet
  }
}

/**
 * Reads the complete lines. Text after the last line feed was cut off by a crash and never
 * acknowledged: it is removed.
 */
async function readLines(file: FileHandle, readOnly: boolean): Promise<readonly Line[]> {
  const bytes = await file.readFile()
  const end = bytes.lastIndexOf('\n') + 1
  if (end < bytes.length && !readOnly) await file.truncate(end)
  const texts = bytes.subarray(0, end).toString().split('\n').slice(0, -1)
  return texts.map((text) => JSON.parse(text) as Line)
}

/** The files that this process has open. */
const openFiles = new Set<string>()

/**
 * Makes a file with the id of this process beside the data, and returns what removes it. One that a
 * killed process left is replaced; two processes that do so at the same moment would both succeed,
 * which a database prevents.
 */
async function lock(url: string): Promise<() => Promise<void>> {
  const path = resolve(`${url}.lock`)
  const owner = Number(await readFile(path, 'utf8').catch(() => '0'))
  const isOpen = owner === process.pid ? openFiles.has(path) : isRunning(owner)
  if (isOpen)
    throw new Error(
      `${url} is open in process ${owner}, and this adapter allows one process at a time.`,
    )
  if (owner !== 0) await rm(path, { force: true })
  await writeFile(path, String(process.pid), { flag: 'wx' })
  openFiles.add(path)
  return async () => {
    openFiles.delete(path)
    await rm(path, { force: true })
  }
}

function isRunning(pid: number): boolean {
  if (pid === 0) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** One machine has this file, so the clock of the machine is that of the database. */
function timeOf({ at = new Date() }: IdempotencyKey): number {
  return at.getTime()
}
