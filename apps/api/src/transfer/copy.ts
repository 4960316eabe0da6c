import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { NewPet, PetId } from '@pet-store/domain'
import type { BulkAccess, PetImport, StoredApiKey } from '@pet-store/persistence'
import type { PetTransfer } from './open-transfer.ts'
import {
  comparePages,
  endOfBoth,
  lastIdOf,
  type PageComparison,
  petLinePages,
  petsOfLines,
  withRoom,
  writePetLines,
} from './pet-lines.ts'
import type { Progress } from './progress.ts'

/** The number of idempotency keys that are read at once. */
const KEYS = 5_000
/** With less in a transaction, the target would spend more of its time on committing. */
const BYTES_PER_TRANSACTION = 256 * 1024
/** What a page of lines may add when there is nearly enough for a transaction. */
const SPARE_BYTES = 1024 * 1024
/** How often the target is compared while pets are still added to the source. */
const MAX_PASSES = 5

/** What both databases hold after a copy. */
export interface CopyReport {
  readonly pets: number
  /** Absent if only pets were copied. */
  readonly apiKeys?: number
  /** SHA-256 over the line of every pet, the same on both sides. Absent if the pets got new ids. */
  readonly checksum?: string
}

/** Whether a database gives more than its pets: everything else can be copied only between two such. */
function hasBulkAccess(database: PetTransfer): database is BulkAccess {
  return database.writePets !== undefined
}

/**
 * Copies every pet, API key, idempotency key and import under its id, until a comparison of both databases finds nothing
 * missing. Can be repeated: after an interruption, and when pets were added to the source. Rejects, before it changes
 * anything, if the target holds what the source does not.
 *
 * If one side has no bulk access only pets are copied; if the target has none they get new ids, and it must be empty.
 */
export async function copyDatabase(from: PetTransfer, to: PetTransfer, progress: Progress): Promise<CopyReport> {
  if (!hasBulkAccess(to)) return addCopies(from, to, progress)
  const isWhole = hasBulkAccess(from)
  if (isWhole) await expectSourceKeysAndImports(from, to)
  await expectSourcePets(from, to, progress)
  await copyPets(from, to, progress, false)
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    if (isWhole) await copyTheRest(from, to)
    // A pet whose transaction ended late has a lower id than pets that were copied before it.
    const { pets, added, checksum, lastId } = await copyPets(from, to, progress, true)
    await to.movePetIdsPast(lastId)
    if (added > 0) continue
    if (!isWhole) return { pets, checksum }
    if (await hasSameRest(from, to)) return { pets, apiKeys: (await to.readApiKeys()).length, checksum }
  }
  throw new Error(
    `The source changed during each of ${MAX_PASSES} comparisons. Stop what writes to it, and run the command again.`,
  )
}

/** Adds the pets of the source to an empty target, under new ids. */
async function addCopies(from: PetTransfer, to: PetTransfer, progress: Progress): Promise<CopyReport> {
  if ((await to.readPets({ limit: 1 })).length > 0) {
    throw new Error('The target holds pets. It must be empty, because it cannot store pets under their ids.')
  }
  const meter = progress.begin('Copying pets', await from.countPets?.())
  let count = 0
  for await (const lines of petLinePages(from)) {
    const pets = petsOfLines(lines)
    // They were validated when they were added to the source.
    await to.addPets(pets as readonly unknown[] as readonly NewPet[])
    count += pets.length
    meter.advance(pets.length)
  }
  meter.end()
  return { pets: count }
}

interface Pass {
  readonly pets: number
  /** The number of pets that were missing in the target. */
  readonly added: number
  /** Of every pet as a line; without a comparison, of nothing. */
  readonly checksum: string
  /** 0 if there are no pets. */
  readonly lastId: PetId
}

/** Stores the pets that the target lacks. Afterwards it holds exactly the pets that were read from the source. */
async function copyPets(from: PetTransfer, to: BulkAccess, progress: Progress, isComparison: boolean): Promise<Pass> {
  const what = isComparison ? 'Comparing both sides' : 'Copying pets'
  const meter = progress.begin(what, await from.countPets?.())
  const hash = createHash('sha256')
  const counts = { pets: 0, added: 0 }
  const writer = createLineWriter(to)
  let lastId = 0n
  try {
    for await (const { lines, count, missing, missingCount, others } of comparePets(from, to)) {
      if (others.length > 0) throw otherPets(others)
      // More is compared while these are stored.
      await writer.write(missing)
      if (isComparison) hash.update(lines)
      counts.pets += count
      counts.added += missingCount
      if (lines.length > 0) lastId = lastIdOf(lines)
      meter.advance(count)
    }
    await writer.writeCollected()
  } finally {
    await writer.written()
  }
  meter.end()
  return { ...counts, lastId, checksum: hash.digest('hex') }
}

/** Collects lines for a transaction, and stores them while more are collected. Two buffers take turns. */
function createLineWriter(to: BulkAccess) {
  const enough = BYTES_PER_TRANSACTION
  const newBuffer = (): Buffer => Buffer.allocUnsafeSlow(enough + SPARE_BYTES)
  let [filling, storing] = [newBuffer(), newBuffer()]
  let bytes = 0
  let writing: Promise<void> = Promise.resolve()

  async function writeCollected(): Promise<void> {
    await writing
    if (bytes === 0) return
    writing = writePetLines(to, filling.subarray(0, bytes))
    // It rejects for the next `await`.
    writing.catch(() => undefined)
    ;[filling, storing] = [storing, filling]
    bytes = 0
  }

  return {
    async write(lines: Uint8Array): Promise<void> {
      filling = withRoom(filling, bytes, lines.length)
      filling.set(lines, bytes)
      bytes += lines.length
      if (bytes >= enough) await writeCollected()
    },
    writeCollected,
    written: () => writing,
  }
}

async function copyTheRest(from: BulkAccess, to: BulkAccess): Promise<void> {
  await to.movePetIdsPast(await from.lastPetId())
  let keys = await from.readIdempotencyKeys(KEYS)
  while (keys.length > 0) {
    await to.writeIdempotencyKeys(keys)
    keys = await from.readIdempotencyKeys(KEYS, keys.at(-1))
  }
  const known = new Set((await to.readApiKeys()).map(({ id }) => id))
  await to.writeApiKeys((await from.readApiKeys()).filter(({ id }) => !known.has(id)))
  // So that a file that was imported into the source is not imported into the target again.
  await to.writePetImports(await from.readPetImports())
}

interface ComparedPage extends PageComparison {
  /** Whether the target has no pets after this page. */
  readonly isEndOfTarget: boolean
}

const NONE = new Uint8Array()

/** Walks through both databases by id, whose pages may end at different ids. */
async function* comparePets(from: PetTransfer, to: BulkAccess): AsyncGenerator<ComparedPage> {
  const [source, target] = [petLinePages(from), petLinePages(to)]
  let [here, there, isEndOfTarget] = [NONE, NONE, false]
  try {
    for (;;) {
      // SQLite works without the event loop, which Ctrl+C needs.
      await setImmediate()
      const [nextHere, nextThere] = await Promise.all([
        here.length === 0 ? source.next() : undefined,
        there.length === 0 && !isEndOfTarget ? target.next() : undefined,
      ])
      if (nextHere !== undefined) here = nextHere.value ?? NONE
      if (nextThere !== undefined) there = nextThere.value ?? NONE
      isEndOfTarget ||= there.length === 0
      const end = endOfBoth(here, there)
      yield { ...comparePages(here.subarray(0, end.here), there.subarray(0, end.there)), isEndOfTarget }
      if (here.length === 0) return
      here = here.subarray(end.here)
      there = there.subarray(end.there)
    }
  } finally {
    await Promise.all([source.return(undefined), target.return(undefined)])
  }
}

async function expectSourcePets(from: PetTransfer, to: BulkAccess, progress: Progress): Promise<void> {
  const total = await to.countPets()
  if (total === 0) return
  const meter = progress.begin('Checking the target', total)
  for await (const { count, missingCount, others, isEndOfTarget } of comparePets(from, to)) {
    if (others.length > 0) throw otherPets(others)
    meter.advance(count - missingCount)
    if (isEndOfTarget) break
  }
  meter.end()
}

async function expectSourceKeysAndImports(from: BulkAccess, to: BulkAccess): Promise<void> {
  const known = new Set((await from.readApiKeys()).map(apiKeyLine))
  const otherKeys = (await to.readApiKeys()).filter((key) => !known.has(apiKeyLine(key)))
  if (otherKeys.length > 0) {
    throw new Error(
      `The target holds API keys that the source does not, or that were changed on either side since: ${listed(otherKeys.map(({ id }) => id))}. Copy to an empty database instead.`,
    )
  }
  // An import in the target may be an earlier state of the one in the source.
  const imports = new Map((await from.readPetImports()).map((one) => [one.id, one]))
  const otherImports = (await to.readPetImports()).filter((there) => {
    const here = imports.get(there.id)
    return here === undefined || (importLine(here) !== importLine(there) && here.changedAt <= there.changedAt)
  })
  if (otherImports.length === 0) return
  throw new Error(
    `The target holds imports of files that the source does not: ${listed(otherImports.map(({ id }) => id))}. Copy to an empty database instead.`,
  )
}

async function hasSameRest(from: BulkAccess, to: BulkAccess): Promise<boolean> {
  const lines = async (database: BulkAccess) => [
    ...(await database.readApiKeys()).map(apiKeyLine),
    ...(await database.readPetImports()).map(importLine),
  ]
  return (await lines(from)).toSorted().join('\n') === (await lines(to)).toSorted().join('\n')
}

function otherPets(others: readonly string[]): Error {
  return new Error(
    `The target holds pets that the source does not, or that differ: ${listed(others)}. It must be empty, or hold what an interrupted copy from the same source left.`,
  )
}

const LISTED = 5

function listed(ids: readonly (bigint | string)[]): string {
  return `${ids.slice(0, LISTED).join(', ')}${ids.length > LISTED ? ' and others' : ''}`
}

/** Without the last use, which changes all the time. */
function apiKeyLine({ lastUsedAt: _, ...key }: StoredApiKey): string {
  return JSON.stringify(Object.entries(key).sort(([one], [other]) => (one < other ? -1 : 1)))
}

function importLine(one: PetImport): string {
  return JSON.stringify(Object.values({ ...one, id: `${one.id}` }))
}
