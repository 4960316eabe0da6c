import { INT64 } from '@pet-store/domain'
import type { BulkAccess, StoredApiKey, StoredIdempotencyKey } from '@pet-store/persistence'
import { OTHER_TIMES } from '../api-key-cases/changing.ts'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { unreadable } from '../case/unreadable.ts'
import { SEPARATORS } from '../pet-cases/comparing-keys.ts'
import { LIMITS } from '../test-data/list-limits.ts'
import { hashOf } from '../test-data/new-api-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { ALIKE_TEXTS, LONGEST_NAME } from '../test-data/odd-texts.ts'
import { after } from '../test-data/times.ts'
import { ALL, apiKeyOf, endedImport, importOf, keyOf, MANY } from './items.ts'

/** Next to the numbers at which pages and batches are full. */
const SIZES = [...new Set(LIMITS)]
  .filter((limit) => limit < 260)
  .toSorted((one, other) => one - other)

/** Imports, idempotency keys and API keys are written completely or not at all. */
export const bulkKeyCases: readonly ContractCase<BulkAccess>[] = casesOf('bulk', {
  'imports: writes and reads imports by ascending id; one with a taken id replaces the stored one':
    async (bulk) => {
      const ids = [1n, 9n, 10n, 2n ** 53n + 1n]
      const imports = ids.map((id) => importOf({ id, state: id > 1n ? 'finished' : 'unfinished' }))
      await bulk.writePetImports(imports.toReversed())
      await bulk.writePetImports([])
      expectEqual(
        await bulk.readPetImports(),
        imports,
        'readPetImports must return every import, by ascending id',
      )
      const changed = { lines: 7, changedAt: after(9), sha256: hashOf('b') }
      for (const replaced of [endedImport(), importOf({ ...changed, state: 'finished' })]) {
        await bulk.writePetImports([replaced])
        expectEqual(
          await bulk.readPetImports(),
          [replaced, ...imports.slice(1)],
          'readPetImports must return the import that replaced the first one',
        )
      }
      const times = Object.values(OTHER_TIMES)
      for (const first of [0, ids.length]) {
        const timed = ids.map((id, index) =>
          importOf({ id, changedAt: times[(first + index) % times.length] as Date }),
        )
        await bulk.writePetImports(timed)
        expectEqual(await bulk.readPetImports(), timed, 'the imports with other times')
      }
      await expectRejection(
        async () => bulk.writePetImports([importOf({ id: 5n }), unreadable(importOf(), 'sha256')]),
        'writePetImports must reject an unreadable import',
      )
      expectEqual(
        (await bulk.readPetImports()).length,
        ids.length,
        'the number of imports after a call that was rejected',
      )
    },
  'idempotency-keys: writes and reads idempotency keys by owner and key; a taken one is replaced':
    async (bulk) => {
      await bulk.writePets([1n, 2n, 7n].map((id) => ({ id, ...aNewPet() })))
      const keys = [
        ...['x', 'y', 'z'].map((key) => keyOf('a', key, 1n)),
        ...['w', 'x', 'y', 'z'].map((key) => keyOf('b', key, 2n)),
        keyOf('c', 'a', 7n),
      ]
      await bulk.writeIdempotencyKeys(keys.toReversed())
      await bulk.writeIdempotencyKeys([])
      for (let start = 0; start <= keys.length; start += 2) {
        const page = await bulk.readIdempotencyKeys(2, keys[start - 1])
        expectEqual(page, keys.slice(start, start + 2), `two keys after the first ${start}`)
      }
      const replaced = { ...keyOf('a', 'x', 7n), fingerprint: 'g', at: after(9) }
      await bulk.writeIdempotencyKeys([replaced])
      expectEqual(
        await bulk.readIdempotencyKeys(1),
        [replaced],
        'readIdempotencyKeys must return the key that replaced the first one',
      )
    },
  'idempotency-keys.orders: stores calls that write the same keys in different orders at a time':
    async (bulk) => {
      await bulk.writePets([{ id: 1n, ...aNewPet() }])
      // So that each of the calls below has a connection when it begins.
      await Promise.all([bulk.countPets(), bulk.countPets()])
      const keysWith = (fingerprint: string) =>
        Array.from({ length: ORDERED }, (_, index) => ({
          ...keyOf('shop', `${index}`, 1n),
          fingerprint,
        }))
      for (let round = 0; round < ORDERED_ROUNDS; round += 1) {
        const [one, other] = [`one ${round}`, `other ${round}`]
        // Locks of keys that are taken in different orders make a database end one of the calls.
        await Promise.all([
          bulk.writeIdempotencyKeys(keysWith(one)),
          bulk.writeIdempotencyKeys(keysWith(other).toReversed()),
        ])
        const stored = await bulk.readIdempotencyKeys(ALL)
        const counts = [one, other].map(
          (text) => stored.filter(({ fingerprint }) => fingerprint === text).length,
        )
        expectEqual(
          counts.toSorted((first, second) => first - second),
          [0, ORDERED],
          'how many keys each call has written last',
        )
      }
    },
  'idempotency-keys.many: stores thousands of idempotency keys or none, and pages in text order':
    async (bulk) => {
      await bulk.writePets([{ id: 1n, ...aNewPet() }])
      const keys = MANY.map((_, index) => keyOf(`${index % 7}`, `${index}`, 1n))
      await bulk.writeIdempotencyKeys(keys)
      // The order of text, in which 10 comes before 9.
      const expected = keys.toSorted((one, other) =>
        `${one.owner} ${one.key}` < `${other.owner} ${other.key}` ? -1 : 1,
      )
      for (let start = 0; start <= keys.length; start += 1_000) {
        const page = await bulk.readIdempotencyKeys(1_000, expected[start - 1])
        expectEqual(page, expected.slice(start, start + 1_000), `keys after the first ${start}`)
      }
      const others = keys.map((key) => ({ ...key, owner: 'other' }))
      const lastKey = unreadable(keyOf('other', 'unreadable', 1n), 'fingerprint')
      await expectRejection(
        async () => bulk.writeIdempotencyKeys([...others, lastKey]),
        'writeIdempotencyKeys must reject an unreadable key',
      )
      const stored = await bulk.readIdempotencyKeys(2 * MANY.length)
      expectEqual(
        stored.length,
        keys.length,
        'the number of idempotency keys after a call that was rejected',
      )
    },
  'idempotency-keys.fields: returns every field of an idempotency key exactly as given': async (
    bulk,
  ) => {
    const ids = [INT64.min, 1n, 2n ** 53n + 1n, INT64.max]
    await bulk.writePets(ids.map((id) => ({ id, ...aNewPet() })))
    const keys = [`sold/7/${LONGEST_NAME}`, ' "\\\'\tNULL\u0001', '//Zoe\u0308', '{"a":1}'].map(
      (fingerprint, index) => ({
        ...keyOf('shop', `${index}`, ids[index] ?? 0n),
        fingerprint,
        at: [new Date(0), new Date('2199-12-31T23:59:59.999Z'), after(5), after(6)][index] as Date,
      }),
    )
    await bulk.writeIdempotencyKeys(keys)
    expectEqual(
      await bulk.readIdempotencyKeys(9),
      keys,
      'readIdempotencyKeys must return every field exactly as it was written',
    )
  },
  'idempotency-keys.after: goes on after a key that is no longer there': async (bulk) => {
    await bulk.writePets([{ id: 1n, ...aNewPet() }])
    const keys = ['b', 'd', 'f'].flatMap((owner) =>
      ['b', 'd', 'f'].map((key) => keyOf(owner, key, 1n)),
    )
    await bulk.writeIdempotencyKeys(keys)
    for (const owner of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      for (const key of ['a', 'c', 'd', 'e', 'g']) {
        const rest = keys.filter((one) => `${one.owner} ${one.key}` > `${owner} ${key}`)
        const page = await bulk.readIdempotencyKeys(2, { owner, key })
        expectEqual(page, rest.slice(0, 2), `two keys after the owner ${owner} and the key ${key}`)
      }
    }
  },
  'idempotency-keys.odd: reads every idempotency key on one page, whatever its text is': async (
    bulk,
  ) => {
    await bulk.writePets([{ id: 1n, ...aNewPet() }])
    const texts = ['a', 'A', 'b', ' ', '_', '~', '-', '%', '🐕', 'key:1', 'key 1']
    const keys = [
      ...texts.flatMap((owner) => texts.map((key) => keyOf(owner, key, 1n))),
      // Joined by a separator, two of these are the same text.
      ...SEPARATORS.flatMap((by) => [keyOf('j', `b${by}c`, 1n), keyOf(`j${by}b`, 'c', 1n)]),
      // The last one may come between two that look alike.
      ...[...ALIKE_TEXTS, 'Zof'].flatMap((text) => [
        keyOf('alike', text, 1n),
        keyOf(text, 'alike', 1n),
      ]),
    ]
    await bulk.writeIdempotencyKeys(keys)
    const read: StoredIdempotencyKey[] = []
    // Each is the position of a page.
    for (let pages = 0; pages <= keys.length; pages += 1) {
      const page = await bulk.readIdempotencyKeys(1, read.at(-1))
      if (page.length === 0) break
      read.push(...page)
    }
    const textOf = ({ owner, key }: StoredIdempotencyKey) => JSON.stringify([owner, key])
    expectEqual(read.length, keys.length, 'the number of keys on all pages')
    expectEqual(read.map(textOf).sort(), keys.map(textOf).sort(), 'each key must be read once')
  },
  'api-keys: writes and reads API keys with all fields, by ascending id, replacing a taken one':
    async (bulk) => {
      const full = apiKeyOf('b', {
        scopes: ['pets:read', 'pets:write'],
        createdBy: 'Ada',
        expiresAt: after(3),
        lastUsedAt: after(5),
        revokedAt: after(4),
        revokedBy: 'Bob',
        replaces: 'key_a',
        overlapUntil: after(6),
      })
      const first = apiKeyOf('a', { createdAt: after(2) })
      await bulk.writeApiKeys([full, first])
      await bulk.writeApiKeys([])
      expectEqual(
        await bulk.readApiKeys(),
        [first, full],
        'readApiKeys must return every API key, by ascending id',
      )
      const changed = apiKeyOf('a', { revokedAt: after(4), revokedBy: 'Bob', lastUsedAt: after(5) })
      await bulk.writeApiKeys([changed, apiKeyOf('b'), apiKeyOf('c')])
      expectEqual(
        await bulk.readApiKeys(),
        [changed, apiKeyOf('b'), apiKeyOf('c')],
        'readApiKeys must return the keys that replaced two with their ids',
      )
    },
  'sizes: reads every import, idempotency key and API key, whatever their number': async (bulk) => {
    await bulk.writePets([{ id: 1n, ...aNewPet() }])
    let count = 0
    for (const number of SIZES) {
      const names = Array.from({ length: number - count }, (_, index) => count + index + 1)
      count = number
      await bulk.writePetImports(names.map((name) => importOf({ id: BigInt(name) })))
      await bulk.writeIdempotencyKeys(names.map((name) => keyOf('shop', `${name}`, 1n)))
      await bulk.writeApiKeys(names.map((name) => apiKeyOf(`${name}`)))
      const read = [
        (await bulk.readPetImports()).length,
        (await bulk.readIdempotencyKeys(ALL)).length,
        (await bulk.readIdempotencyKeys(number)).length,
        (await bulk.readApiKeys()).length,
      ]
      expectEqual(
        read,
        read.map(() => number),
        `how many are read of ${number} that were written`,
      )
    }
  },
  'api-keys.exact: writes and reads ids and times of API keys exactly, whatever they are': async (
    bulk,
  ) => {
    const named = ALIKE_TEXTS.map((id, index) => apiKeyOf(`alike ${index}`, { id }))
    const timed = Object.values(OTHER_TIMES).flatMap((time, index) => {
      const times = { createdAt: time, expiresAt: time, revokedAt: time, lastUsedAt: time }
      const successor = { replaces: `key_timed ${index}`, overlapUntil: time }
      return [apiKeyOf(`timed ${index}`, times), apiKeyOf(`next ${index}`, successor)]
    })
    const replacing = ALIKE_TEXTS.map((id, index) =>
      apiKeyOf(`replacing ${index}`, { replaces: id, overlapUntil: after(3) }),
    )
    const keys = [...named, ...timed, ...replacing]
    await bulk.writeApiKeys(keys)
    const byId = (one: StoredApiKey, other: StoredApiKey) => (one.id < other.id ? -1 : 1)
    expectEqual(
      [...(await bulk.readApiKeys())].sort(byId),
      keys.sort(byId),
      'readApiKeys must return ids and times as they were written, sorted by id',
    )
  },
})

/**
 * How many keys two calls write, and how often. With more of them each call may meet the other one
 * again and again when it is repeated.
 */
const ORDERED = 300
const ORDERED_ROUNDS = 3
