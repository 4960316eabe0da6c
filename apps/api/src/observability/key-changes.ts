import type { ApiKey, ApiKeyRepository } from '@pet-store/access'

/** What somebody did with an API key. */
export interface KeyChange {
  readonly change: 'created' | 'rotated' | 'revoked'
  readonly keyId: string
  readonly name: string
  readonly at: Date
  /** Absent for changes of releases that did not store it. */
  readonly by?: string
  /** The successor of a rotated key. */
  readonly replacedBy?: string
}

/** How far the clock of a machine that changes keys may be behind, or how long the keys may not be read. */
const MAX_DELAY_MS = 3_600_000

/**
 * Returns a function that reports each change of an API key that was made since `startedAt`, by any process, and not
 * reported yet. It reads the keys that changed within the last hour: call it every few seconds.
 */
export function createKeyChanges(
  keys: Pick<ApiKeyRepository, 'list'>,
  report: (change: KeyChange) => void,
  now: () => Date,
): () => Promise<void> {
  const startedAt = now()
  const known = new Set<string>()
  let isFirstCall = true
  let readAt = startedAt
  return async () => {
    const askedAt = now()
    const since = new Date(Math.max(readAt.getTime(), startedAt.getTime()) - MAX_DELAY_MS)
    for (const change of changesOf(await keys.list(since))) {
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
  const changes = keys.flatMap((key): KeyChange[] => {
    const { id: keyId, name, createdAt, createdBy, revokedAt, revokedBy } = key
    const old = predecessors.get(keyId)
    const by = createdBy !== undefined && { by: createdBy }
    return [
      old === undefined
        ? { change: 'created', keyId, name, at: createdAt, ...by }
        : { change: 'rotated', keyId: old.id, name, at: createdAt, ...by, replacedBy: keyId },
      ...(revokedAt === undefined
        ? []
        : [
            {
              change: 'revoked',
              keyId,
              name,
              at: revokedAt,
              ...(revokedBy !== undefined && { by: revokedBy }),
            } as const,
          ]),
    ]
  })
  return changes.sort((one, other) => one.at.getTime() - other.at.getTime())
}
