import type { ApiKeyRepository, NewApiKey } from '@pet-store/access'
import { apiKeyFault } from './fake-api-keys.test-support.ts'
import { broken, type Fault, pause } from './fault.test-support.ts'

const stores = (what: string, caughtBy: string, change: (key: NewApiKey) => object) =>
  apiKeyFault(`stores ${what}`, caughtBy, () => ({ toRow: (key) => ({ ...key, ...change(key) }) }))

export const apiKeyFaults: readonly Fault<ApiKeyRepository>[] = [
  stores('no expiry', 'api-key.add.fields api-key.add.times', () => ({ expiresAt: undefined })),
  stores('no creator', 'api-key.add.fields api-key.replace.successor', () => ({ createdBy: undefined })),
  stores('both scopes for every key', 'api-key.add.fields', () => ({ scopes: ['pets:read', 'pets:write'] })),
  stores('quotes doubled', 'api-key.add.name.quotes', ({ name }) => ({ name: name.replaceAll("'", "''") })),
  stores('only letters of 16 bits', 'api-key.add.name.emoji api-key.add.name.100-code-points', ({ name }) => ({
    name: name.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
  })),
  stores('names in Latin-1', 'api-key.add.name.right-to-left-letters', ({ name }) => ({
    name: Buffer.from(name, 'latin1').toString('latin1'),
  })),
  stores('trimmed names', 'api-key.add.name.spaces-at-its-ends', ({ name }) => ({ name: name.trim() })),
  stores('times to the second', 'api-key.add.fields api-key.add.times', ({ createdAt }) => ({
    createdAt: new Date(Math.floor(createdAt.getTime() / 1000) * 1000),
  })),
  stores('times in 42 bits', 'api-key.add.times', ({ expiresAt }) =>
    expiresAt ? { expiresAt: new Date(expiresAt.getTime() % 2 ** 42) } : {},
  ),
  stores('the given object itself', 'api-key.add.detached', (key) => key),
  apiKeyFault('returns null for an absent field', 'api-key.add.fields', (keys) => {
    const give = keys.give.bind(keys)
    return { give: (row) => ({ expiresAt: null, revokedAt: null, ...give(row) }) }
  }),
  apiKeyFault('returns the hash', 'api-key.add.fields', () => ({ give: (row) => ({ ...row }) })),
  apiKeyFault('returns the stored key itself', 'api-key.add.detached', () => ({
    give: ({ sha256: _, ...key }) => key,
  })),
  apiKeyFault('ignores the case of ids', 'api-key.add.unknown', () => ({
    hasId: (row, id) => row.id.toLowerCase() === id.toLowerCase(),
  })),
  apiKeyFault('finds the first key by any hash', 'api-key.add.unknown', () => ({ hasHash: () => true })),
  apiKeyFault('ignores a key with a known hash', 'api-key.add.taken', (keys, { add }) => ({
    add: async (key) => (keys.rows.some(({ sha256 }) => sha256 === key.sha256) ? undefined : add(key)),
  })),
  apiKeyFault('ignores a key with a known id', 'api-key.add.taken', (_, { add }) => ({
    add: (key) => add(key).catch(() => undefined),
  })),
  apiKeyFault('accepts a name once', 'api-key.add.same-name', (keys, { add }) => ({
    add: async (key) => (keys.rows.some(({ name }) => name === key.name) ? broken() : add(key)),
  })),
  apiKeyFault('rejects a successor with the same name', 'api-key.add.same-name', (keys, { replace }) => ({
    replace: async (id, successor, until) =>
      keys.rows.some(({ name }) => name === successor.name) ? broken() : replace(id, successor, until),
  })),
  apiKeyFault('hides expired keys', 'api-key.add.expired', (keys) => ({
    hasHash: (row, sha256) => row.sha256 === sha256 && Number(row.expiresAt ?? Infinity) > Date.now(),
    hasId: (row, id) => row.id === id && Number(row.expiresAt ?? Infinity) > Date.now(),
    list: async () => keys.rows.filter((row) => Number(row.expiresAt ?? Infinity) > Date.now()),
  })),
  ...(['createdAt', 'revokedAt'] as const).map((field) =>
    apiKeyFault(`takes only ${field} for a change`, 'api-key.replace.changed-since', (_, { list }) => ({
      list: async (since) =>
        (await list()).filter((key) => since === undefined || Number(key[field] ?? 0) >= Number(since)),
    })),
  ),
  apiKeyFault('lists in the order of adding', 'api-key.add.list', () => ({ order: () => 0 })),
  ...(['id', 'name', 'sha256'] as const).map((field) =>
    apiKeyFault(`lists by ${field}`, 'api-key.add.list', () => ({
      order: (one, other) => (one[field] < other[field] ? -1 : 1),
    })),
  ),
  apiKeyFault('lists the newest first', 'api-key.add.list', () => ({
    order: (one, other) => other.createdAt.getTime() - one.createdAt.getTime(),
  })),
  apiKeyFault('lists only active keys', 'api-key.add.list', (_, { list }) => ({
    list: async () => (await list()).filter(({ revokedAt }) => !revokedAt),
  })),

  apiKeyFault('revokes nothing', 'api-key.revoke', () => ({ revoke: async () => true })),
  apiKeyFault('uses the time of the last revocation', 'api-key.revoke', () => ({ revokedAt: (_, at) => at })),
  apiKeyFault('does not store who revoked a key', 'api-key.revoke-by', () => ({ revokedBy: () => ({}) })),
  apiKeyFault('stores who revoked a key last', 'api-key.revoke-by', () => ({
    revokedBy: (_, by) => ({ revokedBy: by }),
  })),
  apiKeyFault('reads a key, waits, and writes it with its use', 'api-key.revoke-concurrent', (keys, original) => ({
    async markUsed(uses) {
      const read = keys.rows.find(({ id }) => id === uses[0]?.id)
      await pause()
      if (read !== undefined) keys.change(read.id, () => ({ revokedAt: undefined, revokedBy: undefined, ...read }))
      return original.markUsed(uses)
    },
  })),
  apiKeyFault('reads a key, waits, and writes it as replaced', 'api-key.revoke-concurrent', (keys, original) => ({
    async replace(id, successor, until) {
      const read = keys.rows.find((row) => row.id === id)
      await pause()
      if (read !== undefined) keys.change(id, () => ({ revokedAt: undefined, revokedBy: undefined, ...read }))
      return original.replace(id, successor, until)
    },
  })),
  apiKeyFault('revokes every key', 'api-key.revoke', (keys) => ({
    revoke: async (_, revokedAt) => keys.rows.every(({ id }) => keys.change(id, () => ({ revokedAt }))),
  })),
  apiKeyFault('revokes unknown keys', 'api-key.revoke-unknown', () => ({ revoke: async () => true })),
  apiKeyFault('records the use that arrived last', 'api-key.mark-used api-key.mark-used-many', () => ({
    lastUsedAt: (_, at) => at,
  })),
  apiKeyFault('records a use for every key', 'api-key.mark-used', (keys, { markUsed }) => ({
    markUsed: (uses) => markUsed(uses.flatMap(({ at }) => keys.rows.map(({ id }) => ({ id, at })))),
  })),
  apiKeyFault(
    'records the first of many uses',
    'api-key.mark-used-many api-key.mark-used-unknown',
    (_, { markUsed }) => ({
      markUsed: (uses) => markUsed(uses.slice(0, 1)),
    }),
  ),
  apiKeyFault('records at most 256 uses', 'api-key.mark-used-many', (_, { markUsed }) => ({
    markUsed: (uses) => markUsed(uses.slice(0, 256)),
  })),
  apiKeyFault('rejects the use of an unknown key', 'api-key.mark-used-unknown', (keys, { markUsed }) => ({
    markUsed: async (uses) =>
      uses.every(({ id }) => keys.rows.some((row) => row.id === id)) ? markUsed(uses) : broken(),
  })),
  apiKeyFault('rejects an empty list of uses', 'api-key.mark-used-unknown', (_, { markUsed }) => ({
    markUsed: async (uses) => (uses.length === 0 ? broken() : markUsed(uses)),
  })),

  apiKeyFault('does not end a replaced key', 'api-key.replace.successor api-key.replace.again', () => ({
    endOf: (old) => old.expiresAt,
  })),
  apiKeyFault('does not name the successor', 'api-key.replace.successor api-key.replace.again', (_, { add }) => ({
    replace: (_id, successor) => add(successor).then(() => true),
  })),
  apiKeyFault('ends a key with the overlap, however long that is', 'api-key.replace.earlier-end', () => ({
    endOf: (_, until) => until,
  })),
  apiKeyFault('looks for a successor, waits, and stores', 'api-key.replace.concurrent', (keys, { add, replace }) => ({
    async replace(id, successor, until) {
      const isReplaced = keys.rows.find((row) => row.id === id)?.replacedBy !== undefined
      await pause()
      if (isReplaced) return false
      return (await replace(id, successor, until)) || add(successor).then(() => true)
    },
  })),
  apiKeyFault('cannot replace a successor', 'api-key.replace.again', (keys, { replace }) => ({
    replace: async (id, successor, until) =>
      keys.rows.some(({ replacedBy }) => replacedBy === id) ? broken() : replace(id, successor, until),
  })),
  apiKeyFault('stores a successor of an unknown key', 'api-key.replace.unknown', (_, { add, replace }) => ({
    replace: (id, successor, until) => replace(id, successor, until).catch(() => add(successor).then(() => true)),
  })),
  apiKeyFault('ends the old key before it stores the successor', 'api-key.replace.taken', (keys, { replace }) => ({
    replace(id, successor, until) {
      keys.change(id, () => ({ expiresAt: until }))
      return replace(id, successor, until)
    },
  })),
]
