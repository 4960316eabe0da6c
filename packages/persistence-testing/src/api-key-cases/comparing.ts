import type { ApiKeyRepository, NewApiKey } from '@pet-store/access'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { aNewApiKey, withoutHash } from '../test-data/new-api-keys.ts'
import { ALIKE_TEXTS, ODD_NAMES } from '../test-data/odd-texts.ts'
import { after } from '../test-data/times.ts'

/** What a collation, or a pattern, takes for the same id. */
const EXACT_IDS = [
  ...['key_exact', 'key_exact ', 'KEY_EXACT', 'key_Exact', ' key_exact', 'key%', 'key_ex_ct'],
  ...['key*', 'key_exac?', 'key.exact', 'key_[e]xact'],
  ...ALIKE_TEXTS,
]
/** After so many further keys all are looked for. */
const FURTHER = 10

/** Every JavaScript object has these. */
const OBJECT_NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty']

/** Long enough for a thousand writes to a disk, one after the other. */
const GROUP = { group: 'api-key.add', timeLimitMs: 60_000 }

/** Ids and names of keys are stored and compared exactly. */
export const comparingCases: readonly ContractCase<ApiKeyRepository>[] = casesOf(GROUP, {
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
    for (const id of OBJECT_NAMES) {
      expectEqual(await keys.find(id), undefined, `the key ${id}, which was not added`)
      expectEqual(await keys.findByHash(id), undefined, `the key with the hash ${id}`)
      expectEqual(await keys.revoke(id, after(6)), false, `revoke of ${id}, which was not added`)
      await keys.markUsed([{ id, at: after(6) }])
    }
    const added = EXACT_IDS.map((id, index) => aNewApiKey(`exact ${index}`, { id }))
    for (const [index, key] of added.entries()) {
      await keys.add(key)
      await keys.markUsed([{ id: key.id, at: after(index) }])
      // A database may compare in another way once it has more keys.
      if (index % FURTHER < FURTHER - 1) continue
      await inGroups(index + 1, async (earlier) => {
        const { id = '' } = added[earlier] ?? {}
        const { lastUsedAt } = (await keys.find(id)) ?? {}
        expectEqual(lastUsedAt, after(earlier), `the last use of the key ${JSON.stringify(id)}`)
      })
    }
    expectEqual(
      (await keys.list()).map(({ id }) => id).toSorted(),
      EXACT_IDS.toSorted(),
      'the ids of the list',
    )
    // Not the first one, which a careless search may find by chance.
    const one = added[2] as NewApiKey
    for (const [index, { id }] of added.entries())
      await keys.markUsed([{ id, at: after(200 - index) }])
    await keys.revoke(one.id, after(5), 'Ada')
    expectEqual(
      await keys.replace(one.id, aNewApiKey('next'), after(10)),
      true,
      'replace must return true',
    )
    const ending = { expiresAt: after(10), replacedBy: 'key_next' }
    const changed = { revokedAt: after(5), revokedBy: 'Ada', ...ending }
    const listed = new Map((await keys.list()).map((key) => [key.id, key]))
    await inGroups(added.length, async (index) => {
      const key = added[index] as NewApiKey
      const used = { ...withoutHash(key), lastUsedAt: after(200 - index) }
      const expected = { ...used, ...(key === one && changed) }
      const results = {
        found: await keys.find(key.id),
        byHash: await keys.findByHash(key.sha256),
        listed: listed.get(key.id),
      }
      expectEqual(
        results,
        { found: expected, byHash: expected, listed: expected },
        `find, findByHash and list must return the key ${JSON.stringify(key.id)}`,
      )
    })
    await inGroups(added.length, async (index) => {
      const { id } = added[index] as NewApiKey
      if (id === one.id) return
      const successor = aNewApiKey(`next ${index}`, { id: `next${id}` })
      expectEqual(await keys.replace(id, successor, after(10)), true, 'replace must return true')
      const { replacedBy } = (await keys.find(id)) ?? {}
      expectEqual(replacedBy, successor.id, `replacedBy of the key ${JSON.stringify(id)}`)
      const found = await keys.find(successor.id)
      expectEqual(found, withoutHash(successor), `the successor of ${JSON.stringify(id)}`)
    })
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
})
