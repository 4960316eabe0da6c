import type { ApiKeyRepository, NewApiKey } from '@pet-store/access'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual, expectImpossible } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { tryToChange } from '../case/try-to-change.ts'
import { aNewApiKey, hashOf, withoutHash } from '../new-api-keys.ts'
import { ODD_NAMES } from '../odd-names.ts'
import { after } from '../times.ts'

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

/** What a collation, or a pattern, takes for the same id. */
const EXACT_IDS = [
  ...['key_exact', 'KEY_EXACT', 'key_Exact', ' key_exact', 'key_exact ', 'key%', 'key_ex_ct'],
  ...['constructor', '__proto__'],
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
      for (const taken of [{ id: 'key_same' }, { sha256: hashOf('same') }]) {
        const added = names.map((name) => aNewApiKey(`${name}${Object.keys(taken)}`, taken))
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
  'names: returns the names of keys, and of who created and revoked them, exactly': async (
    keys,
  ) => {
    await inGroups(ODD_NAMES.length, async (index) => {
      const name = ODD_NAMES[index] ?? ''
      const key = aNewApiKey(`odd ${index}`, { name, createdBy: name })
      await keys.add(key)
      await keys.revoke(key.id, after(5), name)
    })
    const listed = new Map((await keys.list()).map((key) => [key.id, key]))
    for (const [index, name] of ODD_NAMES.entries()) {
      const key = aNewApiKey(`odd ${index}`, { name, createdBy: name })
      const expected = { ...withoutHash(key), revokedAt: after(5), revokedBy: name }
      const results = { found: await keys.find(key.id), listed: listed.get(key.id) }
      expectEqual(
        results,
        { found: expected, listed: expected },
        `find and list must return the name ${JSON.stringify(name)} exactly`,
      )
    }
  },
  'exact-ids: compares the ids of keys exactly, in every function': async (keys) => {
    const added = EXACT_IDS.map((id, index) => aNewApiKey(`exact ${index}`, { id }))
    for (const key of added) await keys.add(key)
    // Not the first one, which a careless search may find by chance.
    const one = added[2] as NewApiKey
    for (const [index, { id }] of added.entries())
      await keys.markUsed([{ id, at: after(20 - index) }])
    await keys.revoke(one.id, after(5), 'Ada')
    expectEqual(
      await keys.replace(one.id, aNewApiKey('next'), after(10)),
      true,
      'replace must return true',
    )
    const ending = { expiresAt: after(10), replacedBy: 'key_next' }
    const changed = { revokedAt: after(5), revokedBy: 'Ada', ...ending }
    for (const [index, key] of added.entries()) {
      const used = { ...withoutHash(key), lastUsedAt: after(20 - index) }
      const expected = { ...used, ...(key === one && changed) }
      expectEqual(
        await keys.find(key.id),
        expected,
        `the key with the id ${JSON.stringify(key.id)}`,
      )
    }
    for (const id of ['Key_exact', 'key_exact\t', '\tkey_Exact', 'key_exac', 'key-exact']) {
      expectEqual(
        await keys.find(id),
        undefined,
        `find must return undefined for ${JSON.stringify(id)}`,
      )
      expectEqual(
        await keys.revoke(id, after(6)),
        false,
        `revoke must return false for ${JSON.stringify(id)}`,
      )
    }
  },
  'same-name: stores several keys with the same name, as a rotation makes them': async (keys) => {
    for (const key of ['one', 'other']) await keys.add(aNewApiKey(key, { name: 'kiosk' }))
    const isReplaced = await keys.replace(
      'key_one',
      aNewApiKey('next', { name: 'kiosk' }),
      after(1),
    )
    expectEqual(isReplaced, true, 'replace must accept a successor with the same name')
    const listed = (await keys.list()).map(({ id, name }) => `${id} ${name}`)
    expectEqual(
      listed.sort(),
      ['key_next kiosk', 'key_one kiosk', 'key_other kiosk'],
      'list must return all keys with the same name',
    )
  },
  'list: lists every key in the order of creation, in any state': async (keys) => {
    expectEqual(await keys.list(), [], 'an empty database must list no key')
    // Neither the names, nor the ids, nor the hashes, nor the order of adding give this order.
    await keys.add(aNewApiKey('zebra', { createdAt: after(1) }))
    await keys.add(aNewApiKey('ant', { createdAt: after(2), expiresAt: after(3) }))
    await keys.add(aNewApiKey('mole', { createdAt: after(0) }))
    await keys.revoke('key_zebra', after(4))
    // As numbers these have fewer digits than the others, or more.
    await keys.add(aNewApiKey('old', { createdAt: new Date('1999-12-31T23:59:59.999Z') }))
    // Nobody has needed it for years.
    await keys.revoke('key_old', new Date('2000-01-02T03:04:05.006Z'))
    await keys.add(aNewApiKey('future', { createdAt: new Date('2300-01-01T00:00:00.001Z') }))
    await keys.add(aNewApiKey('oldest', { createdAt: new Date(12) }))
    const listed = await keys.list()
    expectEqual(
      listed.map(({ name }) => name),
      ['oldest', 'old', 'mole', 'zebra', 'ant', 'future'],
      'keys must be listed in the order of createdAt',
    )
    for (const key of listed)
      expectEqual(key, await keys.find(key.id), 'list must return the same key as find')
  },
  'many: lists more than 1,000 keys': async (keys) => {
    await inGroups(1_010, (index) => keys.add(aNewApiKey(`${index}`, { createdAt: after(index) })))
    const ids = (await keys.list()).map(({ id }) => id)
    expectEqual(
      ids,
      Array.from({ length: 1_010 }, (_, index) => `key_${index}`),
      'the ids that list returns of 1,010 keys',
    )
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
    expectEqual(await keys.find(given.id), stored, 'the stored key must not change')
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
