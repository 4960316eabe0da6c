import type { ApiKeyRepository, NewApiKey } from '@pet-store/access'
import { rotationFaults } from './api-key-rotation-faults.test-support.ts'
import { FakeApiKeys } from './fake-api-keys.test-support.ts'
import { broken, type Fault, type Faults, faultsOf, isAfter, pause } from './fault.test-support.ts'

const stores = (fault: string, change: (key: NewApiKey) => object): Faults<FakeApiKeys> => ({
  [fault]: { toRow: (key) => ({ ...key, ...change(key) }) },
})

const takesForChanges = (field: 'createdAt' | 'revokedAt'): Faults<FakeApiKeys> => ({
  [`replace.changed-since: takes only ${field} for a change`]: (_, { list }) => ({
    listChangedSince: async (time) =>
      (await list()).filter((key) => Number(key[field] ?? 0) >= Number(time)),
  }),
})

const listsBy = (field: 'id' | 'name' | 'sha256'): Faults<FakeApiKeys> => ({
  [`add.list: lists by ${field}`]: { order: (one, other) => (one[field] < other[field] ? -1 : 1) },
})

export const apiKeyFaults: readonly Fault<ApiKeyRepository>[] = faultsOf(
  () => new FakeApiKeys(),
  'api-key',
  rotationFaults,
  {
    ...stores('add.fields: stores no expiry', () => ({ expiresAt: undefined })),
    ...stores('add.fields replace.successor: stores no creator', () => ({ createdBy: undefined })),
    ...stores('add.fields: stores both scopes for every key', () => ({
      scopes: ['pets:read', 'pets:write'],
    })),
    ...stores('add.fields: stores quotes doubled', ({ name }) => ({
      name: name.replaceAll("'", "''"),
    })),
    ...stores('add.fields: stores names in Latin-1', ({ name }) => ({
      name: Buffer.from(name, 'latin1').toString('latin1'),
    })),
    ...stores('add.fields: stores trimmed names', ({ name }) => ({ name: name.trim() })),
    ...stores('add.fields: stores times to the second', ({ createdAt }) => ({
      createdAt: new Date(Math.floor(createdAt.getTime() / 1000) * 1000),
    })),
    ...stores('add.fields: stores times in 42 bits', ({ expiresAt }) =>
      expiresAt ? { expiresAt: new Date(expiresAt.getTime() % 2 ** 42) } : {},
    ),
    ...stores('add.detached: stores the given object itself', (key) => key),
    'add.fields: returns null for an absent field': (keys) => {
      const give = keys.give.bind(keys)
      return { give: (row) => ({ expiresAt: null, revokedAt: null, ...give(row) }) }
    },
    'add.fields: returns the hash': { give: (row) => ({ ...row }) },
    'add.detached: returns the stored key itself': { give: ({ sha256: _, ...key }) => key },
    'add.unknown: ignores the case of ids': {
      hasId: (row, id) => row.id.toLowerCase() === id.toLowerCase(),
    },
    'add.unknown: finds the first key by any hash': { hasHash: () => true },
    'add.taken: ignores a key with a known hash': (keys, { add }) => ({
      add: async (key) =>
        keys.rows.some(({ sha256 }) => sha256 === key.sha256) ? undefined : add(key),
    }),
    ...stores('add.fields: lets who writes read', ({ scopes }) => ({
      scopes: scopes.includes('pets:write') ? ['pets:read', 'pets:write'] : scopes,
    })),
    'add.taken: takes the hash of a revoked key for a free one': (keys) => ({
      isTaken: ({ id, sha256 }) =>
        keys.rows.some(
          (row) => row.id === id || (row.sha256 === sha256 && row.revokedAt === undefined),
        ),
    }),
    'add.taken: ignores a key with a known id': (_, { add }) => ({
      add: (key) => add(key).catch(() => undefined),
    }),
    'add.concurrent: looks for the id and the hash, waits, and adds': (keys) => {
      const isConnected = isAfter(12)
      return {
        async add(key) {
          if (keys.isTaken(key)) broken()
          if (isConnected()) await pause()
          keys.rows.push(keys.toRow(key) as (typeof keys.rows)[number])
        },
      }
    },
    ...stores('add.names: stores names in NFC', ({ name }) => ({ name: name.normalize('NFC') })),
    ...stores('add.names: stores creators in three bytes', ({ createdBy }) => ({
      createdBy: createdBy?.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '?'),
    })),
    'add.names: stores trimmed names of who revoked': (_, { revoke }) => ({
      revoke: (id, at, by) => revoke(id, at, by?.trim()),
    }),
    'add.same-name: accepts a name once': (keys, { add }) => ({
      add: async (key) => (keys.rows.some(({ name }) => name === key.name) ? broken() : add(key)),
    }),
    'add.same-name: rejects a successor with the same name': (keys, { replace }) => ({
      replace: async (id, successor, until) =>
        keys.rows.some(({ name }) => name === successor.name)
          ? broken()
          : replace(id, successor, until),
    }),
    'add.fields: hides expired keys': (keys) => ({
      hasHash: (row, sha256) =>
        row.sha256 === sha256 && Number(row.expiresAt ?? Infinity) > Date.now(),
      hasId: (row, id) => row.id === id && Number(row.expiresAt ?? Infinity) > Date.now(),
      list: async () => keys.rows.filter((row) => Number(row.expiresAt ?? Infinity) > Date.now()),
    }),
    ...takesForChanges('createdAt'),
    ...takesForChanges('revokedAt'),
    'replace.changed-since: takes a use for a change': (_, { list, listChangedSince }) => ({
      async listChangedSince(time) {
        const ids = new Set((await listChangedSince?.(time))?.map(({ id }) => id))
        return (await list()).filter(
          (key) => ids.has(key.id) || Number(key.lastUsedAt ?? 0) >= Number(time),
        )
      },
    }),
    'replace.changed-since: lists every key that was ever replaced': (
      _,
      { list, listChangedSince },
    ) => ({
      async listChangedSince(time) {
        const ids = new Set((await listChangedSince?.(time))?.map(({ id }) => id))
        return (await list()).filter((key) => ids.has(key.id) || key.replacedBy !== undefined)
      },
    }),
    'replace.taken: looks for the hash of a successor in the old key alone': (
      keys,
      { replace, isTaken },
    ) => ({
      async replace(id, successor, until) {
        const old = keys.rows.find((row) => row.id === id)
        const ids = new Set(keys.rows.map((row) => row.id))
        keys.isTaken = (key) => ids.has(key.id) || key.sha256 === old?.sha256
        const isReplaced = await replace(id, successor, until).finally(() => {
          keys.isTaken = isTaken
        })
        return isReplaced
      },
    }),
    ...stores('add.fields: stores scopes in the order of their names', ({ scopes }) => ({
      scopes: scopes.toSorted(),
    })),
    ...stores('add.fields: stores all scopes if there are none', ({ scopes }) => ({
      scopes: scopes.length > 0 ? scopes : ['pets:read', 'pets:write'],
    })),
    'add.many: lists at most 1,000 keys': (_, { list }) => ({
      list: async () => (await list()).slice(0, 1_000),
    }),
    'add.list: orders times as text': {
      order: (one, other) =>
        `${one.createdAt.getTime()}` < `${other.createdAt.getTime()}` ? -1 : 1,
    },
    'add.list: lists in the order of adding': { order: () => 0 },
    ...listsBy('id'),
    ...listsBy('name'),
    ...listsBy('sha256'),
    'add.list: lists the newest first': {
      order: (one, other) => other.createdAt.getTime() - one.createdAt.getTime(),
    },
    'add.list: lists only active keys': (_, { list }) => ({
      list: async () => (await list()).filter(({ revokedAt }) => !revokedAt),
    }),

    'revoke: revokes nothing': { revoke: async () => true },
    'revoke: uses the time of the last revocation': { revokedAt: (_, at) => at },
    'revoke: does not store who revoked a key': { revokedBy: () => ({}) },
    'revoke: stores who revoked a key last': { revokedBy: (_, by) => ({ revokedBy: by }) },
    'add.exact-ids: revokes a key whose id has other letters': (keys, { revoke }) => ({
      revoke: async (id, at, by) => {
        const same = keys.rows.find((row) => row.id.toLowerCase() === id.toLowerCase())
        return revoke(same?.id ?? id, at, by)
      },
    }),
    'add.exact-ids: finds by a pattern': (_, { find, list }) => ({
      async find(id) {
        const isPattern = id.endsWith('*')
        const found = (await list()).find((key) => key.id.startsWith(id.slice(0, -1)))
        return isPattern ? found : find(id)
      },
    }),
    'add.exact-ids: takes an id for taken if it differs in its spaces': (keys, { isTaken }) => ({
      isTaken: (key) => isTaken(key) || keys.rows.some(({ id }) => id.trim() === key.id.trim()),
    }),
    'revoke-concurrent: reads a key, waits, and writes it with its use': (keys, original) => ({
      async markUsed(uses) {
        const read = keys.rows.find(({ id }) => id === uses[0]?.id)
        await pause()
        if (read !== undefined)
          keys.change(read.id, () => ({ revokedAt: undefined, revokedBy: undefined, ...read }))
        return original.markUsed(uses)
      },
    }),
    'revoke-concurrent: reads a key, waits, and writes it as replaced': (keys, original) => ({
      async replace(id, successor, until) {
        const read = keys.rows.find((row) => row.id === id)
        await pause()
        if (read !== undefined)
          keys.change(id, () => ({ revokedAt: undefined, revokedBy: undefined, ...read }))
        return original.replace(id, successor, until)
      },
    }),
    'revoke: revokes every key': (keys) => ({
      revoke: async (_, revokedAt) =>
        keys.rows.every(({ id }) => keys.change(id, () => ({ revokedAt }))),
    }),
    'revoke-unknown: revokes unknown keys': { revoke: async () => true },
    'mark-used mark-used-many: records the use that arrived last': { lastUsedAt: (_, at) => at },
    'mark-used: records the last of several uses of a key in one call': (_, { markUsed }) => ({
      markUsed: (uses) => markUsed([...new Map(uses.map((use) => [use.id, use])).values()]),
    }),
    'mark-used: takes a use at 0 ms for none': {
      lastUsedAt: ({ lastUsedAt }, at) =>
        lastUsedAt?.getTime() && lastUsedAt > at ? lastUsedAt : at,
    },
    'replace.changed-since: takes a revocation at 0 ms for none': (_, { listChangedSince }) => ({
      listChangedSince: async (time) =>
        ((await listChangedSince?.(time)) ?? []).filter(({ revokedAt }) => Number(revokedAt) !== 0),
    }),
    'mark-used: records a use for every key': (keys, { markUsed }) => ({
      markUsed: (uses) =>
        markUsed(uses.flatMap(({ at }) => keys.rows.map(({ id }) => ({ id, at })))),
    }),
    'mark-used-many mark-used-unknown: records the first of many uses': (_, { markUsed }) => ({
      markUsed: (uses) => markUsed(uses.slice(0, 1)),
    }),
    'mark-used-many: records at most 256 uses': (_, { markUsed }) => ({
      markUsed: (uses) => markUsed(uses.slice(0, 256)),
    }),
    'mark-used-orders: ends a call that names keys in another order than one under way': (
      _,
      { markUsed },
    ) => {
      const underWay = new Set<string | undefined>()
      return {
        async markUsed(uses) {
          const first = uses[0]?.id
          if (underWay.size > 0 && !underWay.has(first)) return broken()
          underWay.add(first)
          await new Promise((resolve) => setImmediate(resolve))
          await markUsed(uses)
          underWay.delete(first)
        },
      }
    },
    'mark-used-unknown: rejects the use of an unknown key': (keys, { markUsed }) => ({
      markUsed: async (uses) =>
        uses.every(({ id }) => keys.rows.some((row) => row.id === id)) ? markUsed(uses) : broken(),
    }),
    'mark-used-unknown: rejects an empty list of uses': (_, { markUsed }) => ({
      markUsed: async (uses) => (uses.length === 0 ? broken() : markUsed(uses)),
    }),

    'own-fields: forgets the last use when a key is revoked': (keys, { revoke }) => ({
      async revoke(id, at, by) {
        keys.change(id, () => ({ lastUsedAt: undefined }))
        return revoke(id, at, by)
      },
    }),
    'own-fields: forgets who created a key when it is used': (keys, { markUsed }) => ({
      async markUsed(uses) {
        for (const { id } of uses) keys.change(id, () => ({ createdBy: undefined }))
        return markUsed(uses)
      },
    }),
    'own-fields: forgets who revoked a key when it is replaced': (keys, { replace }) => ({
      async replace(id, successor, until) {
        keys.change(id, () => ({ revokedBy: undefined }))
        return replace(id, successor, until)
      },
    }),
    'own-fields: ends a key when it is revoked': (keys, { revoke }) => ({
      async revoke(id, at, by) {
        keys.change(id, () => ({ expiresAt: at }))
        return revoke(id, at, by)
      },
    }),
    'own-fields: marks the successor as used too': (keys, { markUsed }) => ({
      async markUsed(uses) {
        await markUsed(uses)
        for (const row of keys.rows) keys.change(row.id, () => ({ lastUsedAt: uses[0]?.at }))
      },
    }),
    'arguments: cannot remove the uses that it has recorded': (_, { markUsed }) => ({
      markUsed: async (uses) => (Object.isFrozen(uses) ? broken() : markUsed(uses)),
    }),
    'any-time: takes no time after the present': {
      revokedAt: (_, at) => new Date(Math.min(at.getTime(), Date.now())),
    },
    'any-time: has 32 bits for the seconds of a use': {
      lastUsedAt: (_, at) => new Date(Math.min(at.getTime(), 2 ** 31 * 1_000)),
    },
    'any-time: takes the time 0 for no time': (keys) => ({
      endOf: (old, until) =>
        until.getTime() === 0 ? undefined : FakeApiKeys.prototype.endOf.call(keys, old, until),
    }),
    'any-time: has unsigned seconds': (_, { revoke }) => ({
      revoke: (id, at, by) => revoke(id, new Date(Math.max(at.getTime(), 0)), by),
    }),
    'mark-used-many: records the first 2,000 uses of a call': (_, { markUsed }) => ({
      markUsed: (uses) => markUsed(uses.slice(0, 2_000)),
    }),
  },
)
