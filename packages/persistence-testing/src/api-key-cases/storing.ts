import assert from 'node:assert/strict'
import type { ApiKeyRepository } from '@pet-store/access'
import type { ContractCase } from '../contract-case.ts'
import { after, aNewApiKey, hashOf, NOON } from './a-new-api-key.ts'

const NAMES = {
  quotes: `it's a "key" \\ %_`,
  emoji: '👩‍👧 Kasse 🐕',
  'right-to-left letters': 'מפתח',
  'spaces at its ends': ' kiosk ',
  '100 code points': '🐾'.repeat(100),
}

/** Keys are kept as given, and found by id and by hash. */
export const storingCases: readonly ContractCase<ApiKeyRepository>[] = [
  {
    name: 'keeps every field of a key, and what is absent absent',
    async run(keys) {
      const bare = aNewApiKey('bare')
      const full = aNewApiKey('full', { scopes: ['pets:read', 'pets:write'], expiresAt: after(1) })
      await keys.add(bare)
      await keys.add(full)
      for (const { sha256, ...key } of [bare, full]) {
        assert.deepEqual(await keys.find(key.id), key)
        assert.deepEqual(await keys.findByHash(sha256), key)
      }
    },
  },
  ...Object.entries(NAMES).map(([description, name]) => ({
    name: `keeps a name with ${description}`,
    async run(keys: ApiKeyRepository) {
      const key = aNewApiKey('odd', { name })
      await keys.add(key)
      assert.equal((await keys.find(key.id))?.name, name)
    },
  })),
  {
    name: 'keeps times of long ago and far away to the millisecond',
    async run(keys) {
      const times = { createdAt: new Date('1999-12-31T23:59:59.999Z'), expiresAt: new Date('9999-12-31T23:59:59.999Z') }
      await keys.add(aNewApiKey('old', times))
      const { createdAt, expiresAt } = (await keys.find('key_old')) ?? {}
      assert.deepEqual({ createdAt, expiresAt }, times)
    },
  },
  {
    name: 'finds no key by another id or hash',
    async run(keys) {
      assert.equal(await keys.findByHash(hashOf('kiosk')), undefined)
      await keys.add(aNewApiKey('kiosk'))
      for (const id of ['key_kios', 'KEY_KIOSK', 'kiosk', '', hashOf('kiosk')])
        assert.equal(await keys.find(id), undefined)
      for (const sha256 of [hashOf('kios'), 'key_kiosk', '']) assert.equal(await keys.findByHash(sha256), undefined)
    },
  },
  {
    name: 'refuses a key whose id or hash is taken, and changes nothing',
    async run(keys) {
      const first = aNewApiKey('first')
      await keys.add(first)
      await assert.rejects(async () => keys.add(aNewApiKey('other', { id: first.id })))
      await assert.rejects(async () => keys.add(aNewApiKey('other', { sha256: first.sha256 })))
      const { sha256, ...stored } = first
      assert.deepEqual(await keys.list(), [stored])
      assert.equal(await keys.findByHash(hashOf('other')), undefined)
    },
  },
  {
    name: 'takes several keys of one name, as a rotation makes them',
    async run(keys) {
      for (const key of ['one', 'other']) await keys.add(aNewApiKey(key, { name: 'kiosk' }))
      assert.equal(await keys.replace('key_one', aNewApiKey('next', { name: 'kiosk' }), after(1)), true)
      const listed = await keys.list()
      assert.deepEqual(listed.map(({ id }) => id).sort(), ['key_next', 'key_one', 'key_other'])
      for (const { name } of listed) assert.equal(name, 'kiosk')
    },
  },
  {
    name: 'lists every key, the oldest first, in whatever state',
    async run(keys) {
      assert.deepEqual(await keys.list(), [])
      await keys.add(aNewApiKey('second', { createdAt: after(1) }))
      await keys.add(aNewApiKey('third', { createdAt: after(2), expiresAt: after(3) }))
      await keys.add(aNewApiKey('first', { createdAt: NOON }))
      await keys.revoke('key_second', after(4))
      const listed = await keys.list()
      assert.deepEqual(
        listed.map(({ name }) => name),
        ['first', 'second', 'third'],
      )
      for (const key of listed) assert.deepEqual(key, await keys.find(key.id))
    },
  },
  {
    name: 'gives keys that are detached from storage',
    async run(keys) {
      const key = aNewApiKey('kiosk', { scopes: ['pets:read'], expiresAt: after(1) })
      const { sha256, ...stored } = structuredClone(key)
      await keys.add(key)
      change(key)
      for (const found of [await keys.find(key.id), await keys.findByHash(sha256), (await keys.list())[0]]) {
        assert.deepEqual(found, stored)
        change(found)
      }
      assert.deepEqual(await keys.find(key.id), stored)
    },
  },
]

/** As a careless caller in JavaScript may do. */
function change(key: object | undefined): void {
  const { scopes, createdAt, expiresAt } = key as { scopes: string[]; createdAt: Date; expiresAt: Date }
  scopes.push('pets:write')
  createdAt.setTime(0)
  expiresAt.setTime(0)
}
