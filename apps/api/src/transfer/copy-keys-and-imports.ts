import { isDeepStrictEqual } from 'node:util'
import type { BulkAccess, PetImport, StoredApiKey } from '@pet-store/persistence'

/** The number of idempotency keys that are read at once. */
const KEYS = 5_000

/** Brings everything but pets to the state of the source. */
export async function copyKeysAndImports(source: BulkAccess, target: BulkAccess): Promise<void> {
  await target.movePetIdsPast(await source.lastPetId())
  let keys = await source.readIdempotencyKeys(KEYS)
  while (keys.length > 0) {
    await target.writeIdempotencyKeys(keys)
    keys = await source.readIdempotencyKeys(KEYS, keys.at(-1))
  }
  await target.writeApiKeys(await source.readApiKeys())
  // So that a file that was imported into the source is not imported into the target again.
  await target.writePetImports(await source.readPetImports())
}

/** Rejects if the target holds what did not come from the source: it would be lost, or stay. */
export async function assertNoOtherKeysAndImports(source: BulkAccess, target: BulkAccess): Promise<void> {
  const keys = new Map((await source.readApiKeys()).map((key) => [key.id, key]))
  assertNoOthers(
    (await target.readApiKeys()).filter((key) => !isEarlierKey(key, keys.get(key.id))),
    'API keys that the source does not, or that were revoked only there',
  )
  const imports = new Map((await source.readPetImports()).map((one) => [one.id, one]))
  assertNoOthers(
    (await target.readPetImports()).filter((one) => !isEarlierImport(one, imports.get(one.id))),
    'imports of files that the source does not',
  )
}

function assertNoOthers(others: readonly { readonly id: bigint | string }[], what: string): void {
  if (others.length === 0) return
  const ids = listed(others.map(({ id }) => id))
  throw new Error(`The target holds ${what}: ${ids}. Copy to an empty database instead.`)
}

/** Whether a key of the target may become that of the source: a revocation is never undone. */
function isEarlierKey(ofTarget: StoredApiKey, ofSource: StoredApiKey | undefined): boolean {
  if (ofSource === undefined || (ofTarget.revokedAt !== undefined && ofSource.revokedAt === undefined)) return false
  const issued = ({ revokedAt: _at, revokedBy: _by, lastUsedAt: _used, ...key }: StoredApiKey) => key
  return isDeepStrictEqual(issued(ofTarget), issued(ofSource))
}

function isEarlierImport(ofTarget: PetImport, ofSource: PetImport | undefined): boolean {
  if (ofSource === undefined) return false
  return isDeepStrictEqual(ofTarget, ofSource) || ofTarget.changedAt < ofSource.changedAt
}

export async function hasSameKeysAndImports(source: BulkAccess, target: BulkAccess): Promise<boolean> {
  const contents = async (database: BulkAccess) => [
    // Without the last use, which changes all the time.
    new Map((await database.readApiKeys()).map(({ lastUsedAt: _, ...key }) => [key.id, key])),
    new Map((await database.readPetImports()).map((one) => [one.id, one])),
  ]
  return isDeepStrictEqual(await contents(source), await contents(target))
}

const LISTED = 5

export function listed(ids: readonly (bigint | string)[]): string {
  return `${ids.slice(0, LISTED).join(', ')}${ids.length > LISTED ? ' and others' : ''}`
}
