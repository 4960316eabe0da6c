import type { FakeApiKeys } from './fake-api-keys.test-support.ts'
import { broken, type Faults, isAfter, pause } from './fault.test-support.ts'

/** What an adapter can do wrong when it replaces a key. */
export const rotationFaults: Faults<FakeApiKeys> = {
  'revoke-beside-reads: gives a read the result of one that is running': (_, { find }) => {
    const running = new Map<string, ReturnType<typeof find>>()
    return {
      async find(id) {
        const known = running.get(id)
        if (known !== undefined) return known
        const read = find(id)
        // The answer takes longer than a revocation.
        const answer = read.then(
          (key) => new Promise<typeof key>((resolve) => setTimeout(resolve, 20, key)),
        )
        running.set(id, answer)
        return answer.finally(() => running.delete(id))
      },
    }
  },
  'revoke-at-once: reads a key, waits, and revokes it': (keys) => {
    let running = 0
    return {
      async revoke(id, revokedAt, revokedBy) {
        const read = keys.rows.find((row) => row.id === id)
        running += 1
        // Each call takes longer than the ones before it.
        for (let turns = running; turns > 0; turns -= 1) await pause()
        running -= 1
        if (read?.revokedAt === undefined) keys.change(id, () => ({ revokedAt, revokedBy }))
        return read !== undefined
      },
    }
  },
  'replace.any-state: does not replace a revoked key': (keys, { replace }) => ({
    replace: async (id, successor, until) =>
      keys.rows.some((row) => row.id === id && row.revokedAt !== undefined)
        ? false
        : replace(id, successor, until),
  }),
  'replace.any-state: does not replace an expired key': (keys, { replace }) => ({
    replace: async (id, successor, until) =>
      keys.rows.some((row) => row.id === id && row.expiresAt && row.expiresAt <= until)
        ? broken()
        : replace(id, successor, until),
  }),
  'replace.any-state: keeps a later end of a replaced key': {
    endOf: (old, until) => old.expiresAt ?? until,
  },
  'replace.successor replace.again: does not end a replaced key': {
    endOf: (old) => old.expiresAt,
  },
  'replace.successor replace.again: does not name the successor': (_, { add }) => ({
    replace: (_id, successor) => add(successor).then(() => true),
  }),
  'replace.successor: gives the successor the scopes of the old key': (keys, { replace }) => ({
    replace: async (id, successor, until) =>
      replace(
        id,
        { ...successor, scopes: keys.rows.find((row) => row.id === id)?.scopes ?? [] },
        until,
      ),
  }),
  'replace.earlier-end: ends a key with the overlap, however long that is': {
    endOf: (_, until) => until,
  },
  'replace.concurrent: looks for a successor, waits, and stores': (keys, { add, replace }) => {
    const isConnected = isAfter(5)
    return {
      async replace(id, successor, until) {
        const isReplaced = keys.rows.find((row) => row.id === id)?.replacedBy !== undefined
        if (isConnected()) await pause()
        if (isReplaced) return false
        return (await replace(id, successor, until)) || add(successor).then(() => true)
      },
    }
  },
  'replace.again: cannot replace a successor': (keys, { replace }) => ({
    replace: async (id, successor, until) =>
      keys.rows.some(({ replacedBy }) => replacedBy === id)
        ? broken()
        : replace(id, successor, until),
  }),
  'replace.unknown: stores a successor of an unknown key': (_, { add, replace }) => ({
    replace: (id, successor, until) =>
      replace(id, successor, until).catch(() => add(successor).then(() => true)),
  }),
  'replace.taken: ends the old key before it stores the successor': (keys, { replace }) => ({
    replace(id, successor, until) {
      keys.change(id, () => ({ expiresAt: until }))
      return replace(id, successor, until)
    },
  }),
  'replace.changed-since: lists a key without its successor unless that one has changed': (
    _,
    { listChangedSince },
  ) => ({
    async listChangedSince(time) {
      const found = (await listChangedSince?.(time)) ?? []
      const ids = new Set(found.map(({ id }) => id))
      return found.map(({ replacedBy, ...key }) =>
        replacedBy !== undefined && ids.has(replacedBy) ? { ...key, replacedBy } : key,
      )
    },
  }),
}
