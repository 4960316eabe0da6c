import type { ApiKeyRepository, NewApiKey } from '@pet-store/access'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual, expectImpossible } from '../case/expectations.ts'
import { tryToChange } from '../case/try-to-change.ts'
import { aNewApiKey, hashOf, withoutHash } from '../test-data/new-api-keys.ts'
import { after } from '../test-data/times.ts'

const NAMES = [`it's a "key" \\ %_`, '👩‍👧 Kasse 🐕', 'מפתח', ' kiosk ', '🐾'.repeat(100)]

const KEYS: readonly NewApiKey[] = [
  aNewApiKey('bare'),
  aNewApiKey('full', {
    scopes: ['pets:read', 'pets:write'],
    createdBy: `Ada "אדה" 🐕`,
    expiresAt: after(1),
  }),
  aNewApiKey('times', {
    createdAt: new Date('1999-12-31T23:59:59.999Z'),
    expiresAt: new Date('9999-12-31T23:59:59.999Z'),
  }),
  aNewApiKey('ended years ago', {
    createdAt: new Date('2001-02-03T04:05:06.007Z'),
    expiresAt: new Date('2002-02-03T04:05:06.007Z'),
  }),
  aNewApiKey('writer', { scopes: ['pets:write'] }),
  aNewApiKey('reversed', { scopes: ['pets:write', 'pets:read'] }),
  aNewApiKey('without scopes', { scopes: [] }),
  ...NAMES.map((name, index) => aNewApiKey(`${index}`, { name })),
]

/** Long enough for a thousand writes to a disk, one after the other. */
const GROUP = { group: 'api-key.add', timeLimitMs: 60_000 }

/** Keys are stored as given, and found by id and by hash. */
export const storingCases: readonly ContractCase<ApiKeyRepository>[] = casesOf(GROUP, {
  'fields: returns every field exactly as given, of expired keys too, and none that is absent':
    async (keys) => {
      for (const key of KEYS) await keys.add(key)
      const listed = new Map((await keys.list()).map((key) => [key.id, key]))
      for (const { sha256, ...key } of KEYS) {
        const results = {
          found: await keys.find(key.id),
          byHash: await keys.findByHash(sha256),
          listed: listed.get(key.id),
        }
        const expected = { found: key, byHash: key, listed: key }
        expectEqual(
          results,
          expected,
          'find, findByHash and list must return the key as given, without its hash',
        )
      }
    },
  'unknown: finds no key by another id or hash': async (keys) => {
    expectEqual(
      await keys.findByHash(hashOf('kiosk')),
      undefined,
      'an empty database must have no key',
    )
    await keys.add(aNewApiKey('kiosk'))
    for (const id of ['key_kios', 'KEY_KIOSK', 'kiosk', '', hashOf('kiosk')]) {
      expectEqual(
        await keys.find(id),
        undefined,
        `find must return undefined for ${JSON.stringify(id)}`,
      )
    }
    for (const sha256 of [hashOf('kios'), 'key_kiosk', '']) {
      expectEqual(
        await keys.findByHash(sha256),
        undefined,
        `findByHash must return undefined for '${sha256}'`,
      )
    }
  },
  'taken: rejects a key whose id or hash is taken, and changes nothing': async (keys) => {
    const first = aNewApiKey('first')
    await keys.add(first)
    await expectImpossible(
      async () => keys.add(aNewApiKey('other', { id: first.id })),
      'add must reject a taken id',
    )
    await expectImpossible(
      async () => keys.add(aNewApiKey('other', { sha256: first.sha256 })),
      'add must reject a taken hash',
    )
    expectEqual(await keys.list(), [withoutHash(first)], 'a rejected key must change nothing')
    const ended = aNewApiKey('ended', { expiresAt: after(1) })
    const replaced = aNewApiKey('replaced')
    for (const key of [ended, replaced]) await keys.add(key)
    await keys.replace(replaced.id, aNewApiKey('next'), after(1))
    await keys.revoke(first.id, after(1))
    for (const { id, sha256 } of [first, ended, replaced]) {
      for (const taken of [{ id }, { sha256 }]) {
        await expectImpossible(
          async () => keys.add(aNewApiKey('other', taken)),
          `add must reject the id and the hash of ${id}, which is no longer valid`,
        )
      }
    }
    const revoked = { ...withoutHash(first), revokedAt: after(1) }
    expectEqual(
      await keys.findByHash(first.sha256),
      revoked,
      'findByHash must return the revoked key',
    )
    expectEqual(
      await keys.findByHash(ended.sha256),
      withoutHash(ended),
      'findByHash must return the expired key',
    )
    expectEqual(
      await keys.findByHash(hashOf('other')),
      undefined,
      'a rejected key must not be found',
    )
  },
  'concurrent: stores one of many keys with the same id, or hash, that are added at the same time':
    async (keys) => {
      const names = ['a', 'b', 'c', 'd', 'e', 'f']
      // Calls must meet in the short time between two statements; the first ones may still open
      // connections.
      const same = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
      const takens = same.flatMap((one) => [{ id: `key_${one}` }, { sha256: hashOf(one) }])
      for (const [round, taken] of takens.entries()) {
        const added = names.map((name) => aNewApiKey(`${name} ${round}`, taken))
        const results = await Promise.allSettled(added.map(async (key) => keys.add(key)))
        const stored = added.filter((_, index) => results[index]?.status === 'fulfilled')
        expectEqual(stored.length, 1, 'the number of keys whose add resolves')
        const [winner] = stored as [NewApiKey]
        expectEqual(
          await keys.find(winner.id),
          withoutHash(winner),
          'find must return the key whose add resolved',
        )
        expectEqual(
          await keys.findByHash(winner.sha256),
          withoutHash(winner),
          'findByHash must return the key whose add resolved',
        )
        const others = (await keys.list()).filter(({ name }) =>
          added.some((key) => key.name === name && key !== winner),
        )
        expectEqual(others, [], 'no other key may be stored')
      }
    },
  'detached: stores its own copy: changing a key has no effect': async (keys) => {
    const aKey = () =>
      aNewApiKey('kiosk', { scopes: ['pets:read'], createdAt: after(0), expiresAt: after(1) })
    const { sha256, ...stored } = aKey()
    const given = aKey()
    await keys.add(given)
    change(given)
    for (const found of [
      await keys.find(given.id),
      await keys.findByHash(sha256),
      (await keys.list())[0],
    ]) {
      expectEqual(found, stored, 'the stored key must not change')
      change(found)
    }
    for (const found of [
      await keys.find(given.id),
      await keys.findByHash(sha256),
      (await keys.list())[0],
    ])
      expectEqual(found, stored, 'the stored key must not change, in no result')
  },
})

/** Does what a careless caller in JavaScript may do. */
function change(key: object | undefined): void {
  const { scopes, createdAt, expiresAt } = key as {
    scopes: string[]
    createdAt: Date
    expiresAt: Date
  }
  tryToChange(() => void scopes.push('pets:write'))
  createdAt.setTime(0)
  expiresAt.setTime(0)
}
