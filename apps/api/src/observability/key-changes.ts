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

/**
 * Returns a function that reports each change of an API key that was made since `startedAt`, by any process, and not
 * reported yet. It reads all keys: call it every few seconds, not on requests.
 */
export function createKeyChanges(
  keys: Pick<ApiKeyRepository, 'list'>,
  report: (change: KeyChange) => void,
  startedAt: Date,
): () => Promise<void> {
  const known = new Set<string>()
  let isFirstCall = true
  return async () => {
    for (const change of changesOf(await keys.list())) {
      const id = `${change.change} ${change.keyId}`
      if (known.has(id)) continue
      known.add(id)
      // Later calls do not compare times, since the clocks of two machines differ.
      if (!isFirstCall || change.at >= startedAt) report(change)
    }
    isFirstCall = false
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
