import { BrokenOnPurpose } from '../fault.test-support.ts'
import { type ApiKeyFault, answering } from './broken-api-keys.test-support.ts'

const REVOKED = 'revokes one key, and the first time stands'
const NO_SUCH_KEY = 'says that there is no such key to revoke'
const LATEST = 'notes the latest use of a key, in whatever order they come'
const UNKNOWN_USE = 'takes the use of an unknown key without an error'

export const endingFaults: readonly ApiKeyFault[] = [
  {
    name: 'revokes nothing',
    caughtBy: [REVOKED],
    over: (keys) => ({ ...keys, revoke: async () => true }),
  },
  {
    name: 'lets the last revocation stand',
    caughtBy: [REVOKED],
    over(keys) {
      const times = new Map<string, Date>()
      return {
        ...answering(keys, (key) => (times.has(key.id) ? { ...key, revokedAt: times.get(key.id) } : key)),
        async revoke(id, at) {
          times.set(id, at)
          return keys.revoke(id, at)
        },
      }
    },
  },
  {
    name: 'revokes every key',
    caughtBy: [REVOKED],
    over: (keys) => ({
      ...keys,
      async revoke(id, at) {
        for (const key of await keys.list()) await keys.revoke(key.id, at)
        return keys.revoke(id, at)
      },
    }),
  },
  {
    name: 'revokes keys that are not there',
    caughtBy: [NO_SUCH_KEY],
    over: (keys) => ({
      ...keys,
      async revoke(id, at) {
        await keys.revoke(id, at)
        return true
      },
    }),
  },
  {
    name: 'notes the use that came last',
    caughtBy: [LATEST],
    over(keys) {
      const times = new Map<string, Date>()
      return {
        ...answering(keys, (key) => (times.has(key.id) ? { ...key, lastUsedAt: times.get(key.id) } : key)),
        async markUsed(uses) {
          for (const { id, at } of uses) times.set(id, at)
        },
      }
    },
  },
  {
    name: 'notes a use on every key',
    caughtBy: [LATEST],
    over: (keys) => ({
      ...keys,
      async markUsed(uses) {
        const all = await keys.list()
        await keys.markUsed(uses.flatMap(({ at }) => all.map(({ id }) => ({ id, at }))))
      },
    }),
  },
  {
    name: 'rejects the use of an unknown key',
    caughtBy: [UNKNOWN_USE],
    over: (keys) => ({
      ...keys,
      async markUsed(uses) {
        for (const { id } of uses) {
          if ((await keys.find(id)) === undefined) throw new BrokenOnPurpose(`no row ${id}`)
        }
        await keys.markUsed(uses)
      },
    }),
  },
]
