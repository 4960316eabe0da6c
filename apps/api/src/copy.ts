import type { BulkAccess } from '@pet-store/persistence'
import { digestApiKeys, digestPets, type PetDigest } from './copy-digest.ts'
import type { Progress } from './data/progress.ts'

/** How many pets are in memory at once, and in one transaction. */
const BATCH = 5_000
/** No pet has this id: ids are given from 1 on. */
const BEGINNING = -(2n ** 63n)

/** What is on both sides after a copy. */
export interface CopyReport {
  readonly pets: number
  readonly apiKeys: number
  /** SHA-256 over every pet, the same on both sides. */
  readonly checksum: string
}

/**
 * Copies every pet and API key under the id that it has, compares both sides, and lets the target go on counting where
 * the source is. What an interrupted copy left is gone on from. Rejects where the target holds anything else, and then
 * changes nothing, and where the two sides differ in the end.
 */
export async function copyEverything(from: BulkAccess, to: BulkAccess, progress: Progress): Promise<CopyReport> {
  await expectNoOtherApiKeys(from, to)
  const earlier = await expectBeginningOf(from, to, progress)
  await copyPets(from, to, earlier, progress)
  await to.movePetIdsPast(await from.lastPetId())
  await copyIdempotencyKeys(from, to)
  const known = new Set((await to.readApiKeys()).map(({ id }) => id))
  await to.writeApiKeys((await from.readApiKeys()).filter(({ id }) => !known.has(id)))
  await copyPetImports(from, to)
  return compare(from, to, progress)
}

async function copyPets(from: BulkAccess, to: BulkAccess, earlier: PetDigest, progress: Progress): Promise<void> {
  const meter = progress.begin('Copying pets', await from.countPets(), earlier.count)
  // The next pets are read while the last ones are written.
  let reading = from.readPets({ after: earlier.lastId ?? BEGINNING, limit: BATCH })
  for (;;) {
    const rows = await reading
    const last = rows.at(-1)
    if (last === undefined) break
    reading = from.readPets({ after: last.id, limit: BATCH })
    await to.writePets(rows)
    meter.advance(rows.length)
  }
  meter.end()
}

async function copyIdempotencyKeys(from: BulkAccess, to: BulkAccess): Promise<void> {
  let keys = await from.readIdempotencyKeys(BATCH)
  while (keys.length > 0) {
    await to.writeIdempotencyKeys(keys)
    keys = await from.readIdempotencyKeys(BATCH, keys.at(-1))
  }
}

/** So that a file that came into the source does not come into the target a second time. */
async function copyPetImports(from: BulkAccess, to: BulkAccess): Promise<void> {
  const known = new Set((await to.readPetImports()).map(({ id }) => id))
  await to.writePetImports((await from.readPetImports()).filter(({ id }) => !known.has(id)))
}

/** What the target holds already must be how the source begins. */
async function expectBeginningOf(from: BulkAccess, to: BulkAccess, progress: Progress): Promise<PetDigest> {
  const total = await to.countPets()
  if (total === 0) return { count: 0, sha256: '' }
  const meter = progress.begin('Looking at what is there already', 2 * total)
  const there = await digestPets(to, BATCH, meter)
  const here = await digestPets(from, BATCH, meter, there.lastId)
  meter.end()
  if (here.count === there.count && here.sha256 === there.sha256) return there
  throw new Error(
    'The target holds other pets. It must be empty, or hold what an interrupted copy from the same source left.',
  )
}

async function expectNoOtherApiKeys(from: BulkAccess, to: BulkAccess): Promise<void> {
  const known = new Set((await from.readApiKeys()).map((key) => digestApiKeys([key])))
  const others = (await to.readApiKeys()).filter((key) => !known.has(digestApiKeys([key])))
  if (others.length === 0) return
  const ids = others.map(({ id }) => id).join(', ')
  throw new Error(
    `The target holds API keys that the source does not, or that were changed in either since: ${ids}. Copy to an empty database instead.`,
  )
}

async function compare(from: BulkAccess, to: BulkAccess, progress: Progress): Promise<CopyReport> {
  const meter = progress.begin('Comparing both sides', (await from.countPets()) + (await to.countPets()))
  const here = await digestPets(from, BATCH, meter)
  const there = await digestPets(to, BATCH, meter)
  meter.end()
  const [keysHere, keysThere] = [await from.readApiKeys(), await to.readApiKeys()]
  const isSame = here.sha256 === there.sha256 && digestApiKeys(keysHere) === digestApiKeys(keysThere)
  if (isSame) return { pets: there.count, apiKeys: keysThere.length, checksum: there.sha256 }
  throw new Error(
    `The copy differs from its source: ${there.count} pets and ${keysThere.length} API keys against ${here.count} and ${keysHere.length}. ` +
      'Stop whatever writes to either, and run the command again.',
  )
}
