import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Pet, PetId } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import {
  assertNoOtherKeysAndImports,
  copyKeysAndImports,
  hasSameKeysAndImports,
  listed,
} from './copy-keys-and-imports.ts'
import { jsonLine, petPages } from './export-pets.ts'
import { showProgress } from './progress.ts'

/** How often the target is compared while pets are still added to the source. */
const MAX_COMPARISONS = 5

/** What both databases hold after a copy. */
export interface CopyReport {
  readonly pets: number
  readonly apiKeys: number
  /** SHA-256 of what an export writes, as NDJSON. */
  readonly checksum: string
}

/**
 * Copies every pet, API key, idempotency key and import under its id, until a comparison of both databases finds nothing
 * missing. Can be repeated: after an interruption, and when pets or keys were changed in the source. Rejects, before it
 * changes anything, if the target holds what the source does not.
 */
export async function copyDatabase(source: BulkAccess, target: BulkAccess): Promise<CopyReport> {
  const write = (pets: readonly Pet[]): Promise<void> => target.writePets(pets)
  await assertNoOtherKeysAndImports(source, target)
  if ((await target.countPets()) > 0) await comparePets('Checking the target', source, target)
  await comparePets('Copying pets', source, target, write)
  for (let comparison = 0; comparison < MAX_COMPARISONS; comparison += 1) {
    await copyKeysAndImports(source, target)
    // A pet whose transaction ended late has a lower id than pets that were copied before it.
    const { pets, missing, checksum, lastId } = await comparePets('Comparing both sides', source, target, write)
    await target.movePetIdsPast(lastId)
    if (missing === 0 && (await hasSameKeysAndImports(source, target))) {
      return { pets, apiKeys: (await target.readApiKeys()).length, checksum }
    }
  }
  throw new Error(
    `The source changed during each of ${MAX_COMPARISONS} comparisons. Stop what writes to it, and run the command again.`,
  )
}

/**
 * Walks through both databases by id. Pets that the target lacks are stored, if the caller says how. Rejects as soon as
 * the target holds a pet that the source does not.
 */
async function comparePets(
  what: string,
  source: BulkAccess,
  target: BulkAccess,
  write?: (pets: readonly Pet[]) => Promise<void>,
) {
  const meter = showProgress(what, await source.countPets())
  const hash = createHash('sha256')
  /** How many pets there are, and how many of them the target lacked. */
  const counts = { pets: 0, missing: 0 }
  let after: PetId | undefined
  for await (const pets of petPages(source)) {
    const lastId = (pets.at(-1) as Pet).id
    // If there are more pets up to the last id than in the source, some of these are others.
    const page = await target.readPets({ limit: pets.length, ...(after !== undefined && { after }) })
    const present = new Map(page.filter(({ id }) => id <= lastId).map((pet) => [pet.id, pet]))
    const missing = pets.filter(({ id }) => !present.has(id))
    for (const pet of pets) if (isDeepStrictEqual(pet, present.get(pet.id))) present.delete(pet.id)
    if (present.size > 0) throw otherPets([...present.keys()])
    if (missing.length > 0) await write?.(missing)
    hash.update(pets.map((pet) => jsonLine(pet)).join(''))
    counts.pets += pets.length
    counts.missing += missing.length
    after = lastId
    meter.advance(pets.length)
    // SQLite works without the event loop, which Ctrl+C needs.
    await setImmediate()
  }
  const others = await target.readPets({ limit: 10, ...(after !== undefined && { after }) })
  if (others.length > 0) throw otherPets(others.map(({ id }) => id))
  meter.end()
  return { ...counts, lastId: after ?? 0n, checksum: hash.digest('hex') }
}

function otherPets(ids: readonly PetId[]): Error {
  return new Error(
    `The target holds pets that the source does not, or that differ: ${listed(ids)}. It must be empty, or hold what an interrupted copy from the same source left.`,
  )
}
