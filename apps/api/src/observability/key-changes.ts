import type { ApiKey, ApiKeyRepository } from '@pet-store/access'

/** What somebody did with an API key. */
export interface KeyChange {
  readonly change: 'created' | 'rotated' | 'revoked'
  readonly keyId: string
  readonly name: string
  readonly at: Date
  /** Absent if whoever made the change named nobody. */
  readonly by?: string
  /** The successor of a rotated key. */
  readonly replacedBy?: string
}

/**
 * How far the clock of a machine that changes keys may be behind, or how long the keys may not be
 * read.
 */
const MAX_DELAY_MS = 3_600_000

/**
 * Returns a function that reports each change of an API key that was made since `startedAt`, by any
 * process, and not reported yet. It reads the keys that changed within the last hour: call it every
 * few seconds.
 */
export function createKeyChanges(
  keys: Pick<ApiKeyRepository, 'list' | 'listChangedSince'>,
  report: (change: KeyChange) => void,
  now = () => new Date(),
): () => Promise<void> {
  const startedAt = now()
  const known = new Set<string>()
  let isFirstCall = true
  let readAt = startedAt
  return async () => {
    const askedAt = now()
    const since = new Date(Math.max(readAt.getTime(), startedAt.getTime()) - MAX_DELAY_MS)
    const changed = (await keys.listChangedSince?.(since)) ?? (await keys.list())
    for (const change of changesOf(changed)) {
      const id = `${change.change} ${change.keyId}`
      if (change.at < since || known.has(id)) continue
      known.add(id)
      // Later calls do not compare times, since the clocks of two machines differ.
      if (!isFirstCall || change.at >= startedAt) report(change)
    }
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
