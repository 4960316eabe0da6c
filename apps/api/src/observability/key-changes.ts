import type { ApiKey, ApiKeyRepository } from '@pet-store/access'

/** A change of an API key. */
export interface KeyChange {
  readonly change: 'created' | 'rotated' | 'revoked'
  readonly keyId: string
  readonly name: string
  readonly at: Date
  /** Who made the change; absent if no name was given. */
  readonly by?: string
  /** The successor of a rotated key. */
  readonly replacedBy?: string
}

/**
 * How late a change may be noticed: because the clock of the machine that made it is slow, or the
 * database was unavailable.
 */
const MAX_DELAY_MS = 3_600_000
/** How long a reported change is remembered: longer than any clock is set back. */
const REMEMBERED_MS = 24 * 3_600_000

/**
 * Returns a function that reports each change of an API key that any process has made since the
 * call of `createKeyChanges`, once. It reads the keys that have changed within the last hour, so
 * call it every few seconds.
 */
export function createKeyChanges(
  keys: Pick<ApiKeyRepository, 'list' | 'listChangedSince'>,
  report: (change: KeyChange) => void,
  now = () => new Date(),
): () => Promise<void> {
  const startedAt = now()
  /** The times of the changes that were seen. */
  const known = new Map<string, Date>()
  let isFirstCall = true
  let readAt = startedAt
  return async () => {
    const askedAt = now()
    const since = new Date(Math.max(readAt.getTime(), startedAt.getTime()) - MAX_DELAY_MS)
    const changed = (await keys.listChangedSince?.(since)) ?? (await keys.list())
    for (const change of changesOf(changed)) {
      const id = `${change.change} ${change.keyId}`
      if (change.at < since || known.has(id)) continue
      known.set(id, change.at)
      // The first call reads changes from before the start too. Later calls do not compare with
      // that time, because the clocks of two machines may differ.
      if (!isFirstCall || change.at >= startedAt) report(change)
    }
    for (const [id, at] of known)
      if (at.getTime() < since.getTime() - REMEMBERED_MS) known.delete(id)
    isFirstCall = false
    readAt = askedAt
  }
}

/** The changes of these keys in the order of their times. */
function changesOf(keys: readonly ApiKey[]): readonly KeyChange[] {
  const predecessors = new Map(keys.map((key) => [key.replacedBy, key]))
  const changes: KeyChange[] = []
  for (const key of keys) {
    const { id: keyId, name, createdAt, createdBy, revokedAt, revokedBy } = key
    const old = predecessors.get(keyId)
    const created = { name, at: createdAt, ...(createdBy !== undefined && { by: createdBy }) }
    if (old === undefined) changes.push({ change: 'created', keyId, ...created })
    else changes.push({ change: 'rotated', keyId: old.id, ...created, replacedBy: keyId })
    if (revokedAt !== undefined) {
      changes.push({
        change: 'revoked',
        keyId,
        name,
        at: revokedAt,
        ...(revokedBy !== undefined && { by: revokedBy }),
      })
    }
  }
  return changes.sort((one, other) => one.at.getTime() - other.at.getTime())
}
