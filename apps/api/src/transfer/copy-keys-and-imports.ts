import { isDeepStrictEqual } from 'node:util'
import type { BulkAccess, PetImport, StoredApiKey } from '@pet-store/persistence'
import { listedIds } from '../messages/listed-ids.ts'

/** The number of idempotency keys that are read at a time. */
const KEYS_PER_PAGE = 5_000

/** Copies everything except pets. */
export async function copyKeysAndImports(source: BulkAccess, target: BulkAccess): Promise<void> {
  await target.movePetIdsPast(await source.lastPetId())
  let keys = await source.readIdempotencyKeys(KEYS_PER_PAGE)
  while (keys.length > 0) {
    await target.writeIdempotencyKeys(keys)
    keys = await source.readIdempotencyKeys(KEYS_PER_PAGE, keys.at(-1))
  }
  await target.writeApiKeys(await source.readApiKeys())
  // With its imports the target knows which files were imported, and does not import them again.
  await target.writePetImports(await source.readPetImports())
}

/** Whether both databases hold the same API keys and imports. */
export async function hasSameKeysAndImports(
  source: BulkAccess,
  target: BulkAccess,
): Promise<boolean> {
  const contents = async (database: BulkAccess) => [
    // The time of the last use is left out, because it changes continually.
    new Map((await database.readApiKeys()).map(({ lastUsedAt: _, ...key }) => [key.id, key])),
    new Map((await database.readPetImports()).map((one) => [one.id, one])),
  ]
  return isDeepStrictEqual(await contents(source), await contents(target))
}

/** Rejects if the target has API keys or imports that a copy would change or lose. */
export async function assertNoOtherKeysOrImports(
  source: BulkAccess,
  target: BulkAccess,
): Promise<void> {
  assertNoOthers(await source.readApiKeys(), await target.readApiKeys(), isEarlierKey, 'API keys')
  assertNoOthers(
    await source.readPetImports(),
    await target.readPetImports(),
    isEarlierImport,
    'imports of files',
  )
}

/** Throws if the target has items that do not come from the source, which a copy would change. */
function assertNoOthers<Item extends { readonly id: bigint | string }>(
  ofSource: readonly Item[],
  ofTarget: readonly Item[],
  isEarlier: (ofTarget: Item, ofSource: Item) => boolean,
  what: string,
): void {
  const known = new Map(ofSource.map((item) => [item.id, item]))
  const others = ofTarget.filter((item) => {
    const same = known.get(item.id)
    return same === undefined || !isEarlier(item, same)
  })
  if (others.length === 0) return
  const ids = listedIds(others.map(({ id }) => id))
  throw new Error(
    `The target holds ${what} that the source does not, or that were changed only there: ` +
      `${ids}. Copy to an empty database instead.`,
  )
}

/**
 * Whether a key of the target is an earlier state of the key in the source, by which it may be
 * replaced. A revocation is never undone.
 */
function isEarlierKey(ofTarget: StoredApiKey, ofSource: StoredApiKey): boolean {
  if (ofTarget.revokedAt !== undefined && ofSource.revokedAt === undefined) return false
  const issued = ({ revokedAt: _at, revokedBy: _by, lastUsedAt: _used, ...key }: StoredApiKey) =>
    key
  return isDeepStrictEqual(issued(ofTarget), issued(ofSource))
}

function isEarlierImport(ofTarget: PetImport, ofSource: PetImport): boolean {
  return isDeepStrictEqual(ofTarget, ofSource) || ofTarget.changedAt < ofSource.changedAt
}
