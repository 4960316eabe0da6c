import type { ApiKey, NewApiKey } from '@pet-store/access'
import { BrokenOnPurpose } from '../fault.test-support.ts'
import { type ApiKeyFault, answering, storing } from './broken-api-keys.test-support.ts'

const FIELDS = 'keeps every field of a key, and what is absent absent'
const TIMES = 'keeps times of long ago and far away to the millisecond'
const UNKNOWN = 'finds no key by another id or hash'
const TAKEN = 'refuses a key whose id or hash is taken, and changes nothing'
const ONE_NAME = 'takes several keys of one name, as a rotation makes them'
const LISTED = 'lists every key, the oldest first, in whatever state'
const DETACHED = 'gives keys that are detached from storage'

export const storingFaults: readonly ApiKeyFault[] = [
  {
    name: 'forgets when a key expires',
    caughtBy: [FIELDS, TIMES],
    over: (keys) => storing(keys, () => ({ expiresAt: undefined })),
  },
  {
    name: 'gives every key both scopes',
    caughtBy: [FIELDS],
    over: (keys) => storing(keys, () => ({ scopes: ['pets:read', 'pets:write'] })),
  },
  {
    name: 'answers null for what is absent',
    caughtBy: [FIELDS],
    over: (keys) => answering(keys, (key) => ({ expiresAt: null, revokedAt: null, ...key })),
  },
  {
    name: 'publishes the hash',
    caughtBy: [FIELDS],
    over: (keys) => answering(keys, (key) => ({ ...key, sha256: 'ab' })),
  },
  {
    name: 'doubles quotes',
    caughtBy: ['keeps a name with quotes'],
    over: (keys) => storing(keys, ({ name }) => ({ name: name.replaceAll("'", "''") })),
  },
  {
    name: 'stores letters of 16 bits alone',
    caughtBy: ['keeps a name with emoji', 'keeps a name with 100 code points'],
    over: (keys) => storing(keys, ({ name }) => ({ name: name.replace(/[\u{10000}-\u{10ffff}]/gu, '?') })),
  },
  {
    name: 'stores names in Latin-1',
    caughtBy: ['keeps a name with right-to-left letters'],
    over: (keys) => storing(keys, ({ name }) => ({ name: Buffer.from(name, 'latin1').toString('latin1') })),
  },
  {
    name: 'trims names',
    caughtBy: ['keeps a name with spaces at its ends'],
    over: (keys) => storing(keys, ({ name }) => ({ name: name.trim() })),
  },
  {
    name: 'keeps times to the second',
    caughtBy: [FIELDS, TIMES],
    over: (keys) =>
      storing(keys, ({ createdAt }) => ({ createdAt: new Date(Math.floor(createdAt.getTime() / 1000) * 1000) })),
  },
  {
    name: 'keeps times in 42 bits',
    caughtBy: [TIMES],
    over: (keys) =>
      storing(keys, ({ expiresAt }) => (expiresAt ? { expiresAt: new Date(expiresAt.getTime() % 2 ** 42) } : {})),
  },
  {
    name: 'ignores case in ids',
    caughtBy: [UNKNOWN],
    over: (keys) => ({ ...keys, find: (id) => keys.find(id.toLowerCase()) }),
  },
  {
    name: 'finds the first key by any hash',
    caughtBy: [UNKNOWN],
    over: (keys) => ({
      ...keys,
      async findByHash(sha256) {
        return (await keys.findByHash(sha256)) ?? (await keys.list())[0]
      },
    }),
  },
  {
    name: 'puts a key in the place of another with its hash',
    caughtBy: [TAKEN],
    over(keys) {
      const known = new Set<string>()
      return {
        ...keys,
        async add(key) {
          if (known.has(key.sha256)) return
          known.add(key.sha256)
          await keys.add(key)
        },
      }
    },
  },
  {
    name: 'puts a key in the place of another with its id',
    caughtBy: [TAKEN],
    over: (keys) => ({ ...keys, add: (key) => keys.add(key).catch(() => {}) }),
  },
  {
    name: 'takes a name once',
    caughtBy: [ONE_NAME],
    over(keys) {
      const names = new Set<string>()
      return {
        ...keys,
        async add(key) {
          if (names.has(key.name)) throw new BrokenOnPurpose('the name is taken')
          names.add(key.name)
          await keys.add(key)
        },
      }
    },
  },
  {
    name: 'refuses a successor of the same name',
    caughtBy: [ONE_NAME],
    over: (keys) => ({
      ...keys,
      async replace(id, successor, until) {
        if ((await keys.find(id))?.name === successor.name) throw new BrokenOnPurpose('the name is taken')
        return keys.replace(id, successor, until)
      },
    }),
  },
  {
    name: 'lists in the order of adding',
    caughtBy: [LISTED],
    over(keys) {
      const ids: string[] = []
      return {
        ...keys,
        async add(key) {
          await keys.add(key)
          ids.push(key.id)
        },
        async list() {
          return (await Promise.all(ids.map((id) => keys.find(id)))).filter((key): key is ApiKey => key !== undefined)
        },
      }
    },
  },
  {
    name: 'lists good keys alone',
    caughtBy: [LISTED],
    over: (keys) => ({ ...keys, list: async () => (await keys.list()).filter(({ revokedAt }) => !revokedAt) }),
  },
  {
    name: 'keeps the very object that it was given',
    caughtBy: [DETACHED],
    over(keys) {
      const given = new Map<string, NewApiKey>()
      const same = (key: ApiKey): ApiKey => ({ ...key, scopes: given.get(key.id)?.scopes ?? key.scopes })
      return {
        ...answering(keys, same),
        async add(key) {
          given.set(key.id, key)
          await keys.add(key)
        },
      }
    },
  },
  {
    name: 'gives the same object twice',
    caughtBy: [DETACHED],
    over(keys) {
      const found = new Map<string, ApiKey>()
      return answering(keys, (key) => {
        if (!found.has(key.id)) found.set(key.id, key)
        return found.get(key.id) ?? key
      })
    },
  },
]
