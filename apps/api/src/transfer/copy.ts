import { createHash, randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Pet, PetId } from '@pet-store/domain'
import type { BulkAccess, IdempotencyKeyId } from '@pet-store/persistence'
import { listedIds } from '../messages/listed-ids.ts'
import { showProgress } from '../messages/progress.ts'
import {
  assertNoOtherKeysOrImports,
  copyKeysAndImports,
  hasSameKeysAndImports,
} from './copy-keys-and-imports.ts'
import { jsonLine, petPages } from './export-pets.ts'

/** How often both databases are compared while pets are still added to the source. */
const MAX_COMPARISONS = 5

/** The content of both databases after a copy. */
export interface CopyReport {
  readonly pets: number
  readonly apiKeys: number
  /** SHA-256 of an export of all pets as NDJSON. */
  readonly checksum: string
}

/**
 * Copies every pet, API key, idempotency key and import with its id, until a comparison of both
 * databases finds nothing missing. It can be repeated after an interruption, and after changes in
 * the source. Rejects, before it copies anything, if the target has content that the source has
 * not.
 */
export async function copyDatabase(source: BulkAccess, target: BulkAccess): Promise<CopyReport> {
  const mark = await markDatabase(target)
  if (await isMarked(source, mark)) throw new Error(SAME_DATABASE)
  await assertNoOtherKeysOrImports(source, target)
  if ((await target.countPets()) > 0) await comparePets('Checking the target', source, target)
  await comparePets('Copying pets', source, target, { store: true })
  for (let comparison = 0; comparison < MAX_COMPARISONS; comparison += 1) {
    await copyKeysAndImports(source, target)
    // A pet whose transaction committed late may have a lower id than pets that were copied
    // already.
    const { pets, missing, checksum, lastId } = await comparePets(
      'Comparing both sides',
      source,
      target,
      { store: true },
    )
    await target.movePetIdsPast(lastId)
    // Checked again, because a replica shows the mark a moment after its primary.
    if (await isMarked(source, mark)) throw new Error(SAME_DATABASE)
    if (missing === 0 && (await hasSameKeysAndImports(source, target))) {
      return { pets, apiKeys: (await target.readApiKeys()).length, checksum }
    }
  }
  throw new Error(
    `The source changed during each of ${MAX_COMPARISONS} comparisons. Stop what writes to ` +
      'it, and run the command again.',
  )
}

export const SAME_DATABASE = '--from and --to name the same database.'

/**
 * Writes a mark to a database, by which it is recognised if another URL names it too: a random
 * idempotency key that has expired, so that the service deletes it.
 */
async function markDatabase(database: BulkAccess): Promise<IdempotencyKeyId> {
  const mark = { owner: 'pet-store copy', key: randomUUID() }
  await database.writeIdempotencyKeys([{ ...mark, fingerprint: '', at: new Date(0), petId: 0n }])
  return mark
}

async function isMarked(database: BulkAccess, mark: IdempotencyKeyId): Promise<boolean> {
  const [found] = await database.readIdempotencyKeys(1, { ...mark, key: mark.key.slice(0, -1) })
  return found?.owner === mark.owner && found.key === mark.key
}

/**
 * Compares the pets of both databases by ascending id. With `store` it stores pets that the target
 * lacks. Rejects as soon as the target has a pet that the source has not.
 */
async function comparePets(
  what: string,
  source: BulkAccess,
  target: BulkAccess,
  { store = false } = {},
) {
  const progress = showProgress(what, await source.countPets())
  const hash = createHash('sha256')
  /** How many pets there are, and how many of them the target lacked. */
  const counts = { pets: 0, missing: 0 }
  let after: PetId | undefined
  for await (const pets of petPages(source)) {
    const lastId = (pets.at(-1) as Pet).id
    // If the target has more pets up to the last id than the source, this page has some of them
    // that the source has not.
    const page = await target.readPets({
      limit: pets.length,
      ...(after !== undefined && { after }),
    })
    const present = new Map(page.filter(({ id }) => id <= lastId).map((pet) => [pet.id, pet]))
    const missing = pets.filter(({ id }) => !present.has(id))
    for (const pet of pets) if (isDeepStrictEqual(pet, present.get(pet.id))) present.delete(pet.id)
    if (present.size > 0) throw otherPets([...present.keys()])
    if (store && missing.length > 0) await target.writePets(missing)
    hash.update(pets.map((pet) => jsonLine(pet)).join(''))
    counts.pets += pets.length
    counts.missing += missing.length
    after = lastId
    progress.advance(pets.length)
    // SQLite blocks the event loop, which has to run to notice Ctrl+C.
    await setImmediate()
  }
  progress.end()
  const others = await target.readPets({ limit: 10, ...(after !== undefined && { after }) })
  if (others.length > 0) throw otherPets(others.map(({ id }) => id))
  return { ...counts, lastId: after ?? 0n, checksum: hash.digest('hex') }
}

function otherPets(ids: readonly PetId[]): Error {
  return new Error(
    `The target holds pets that the source does not, or that differ: ${listedIds(ids)}. It must ` +
      'be empty, or hold what an interrupted copy from the same source left.',
  )
}
