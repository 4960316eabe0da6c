import assert from 'node:assert/strict'
import type { ApiKeyRepository } from '@pet-store/access'
import type { ContractCase } from '../contract-case.ts'
import { after, aNewApiKey } from './a-new-api-key.ts'

/** A key gets one successor, and ends when the overlap does. */
export const replacingCases: readonly ContractCase<ApiKeyRepository>[] = [
  {
    name: 'replaces a key: stores the successor, and lets the old one end',
    async run(keys) {
      const old = aNewApiKey('old')
      const { sha256, ...successor } = aNewApiKey('successor', { createdAt: after(1), expiresAt: after(100) })
      await keys.add(old)
      assert.equal(await keys.replace(old.id, { ...successor, sha256 }, after(10)), true)
      assert.deepEqual(await keys.find(successor.id), successor)
      assert.deepEqual(await keys.findByHash(sha256), successor)
      const ending = { ...withoutHash(old), expiresAt: after(10), replacedBy: successor.id }
      assert.deepEqual(await keys.find(old.id), ending)
      assert.deepEqual(await keys.findByHash(old.sha256), ending)
      assert.deepEqual(await keys.list(), [ending, successor])
    },
  },
  {
    name: 'never lets a replaced key live longer than it would have',
    async run(keys) {
      await keys.add(aNewApiKey('old', { expiresAt: after(5) }))
      await keys.replace('key_old', aNewApiKey('successor'), after(10))
      assert.deepEqual((await keys.find('key_old'))?.expiresAt, after(5))
    },
  },
  {
    name: 'replaces a key once, also when many ask at the same time',
    async run(keys) {
      await keys.add(aNewApiKey('old'))
      const names = ['a', 'b', 'c', 'd', 'e']
      const answers = await Promise.all(names.map((name) => keys.replace('key_old', aNewApiKey(name), after(10))))
      assert.deepEqual(
        answers.filter((isDone) => isDone),
        [true],
      )
      const winner = `key_${names[answers.indexOf(true)]}`
      assert.deepEqual((await keys.list()).map(({ id }) => id).sort(), [winner, 'key_old'].sort())
      assert.equal((await keys.find('key_old'))?.replacedBy, winner)

      assert.equal(await keys.replace('key_old', aNewApiKey('late'), after(1)), false)
      assert.deepEqual((await keys.find('key_old'))?.expiresAt, after(10))
      assert.equal(await keys.find('key_late'), undefined)
    },
  },
  {
    name: 'replaces a successor in its turn',
    async run(keys) {
      await keys.add(aNewApiKey('first'))
      await keys.replace('key_first', aNewApiKey('second', { createdAt: after(1) }), after(10))
      assert.equal(await keys.replace('key_second', aNewApiKey('third', { createdAt: after(2) }), after(20)), true)
      const listed = await keys.list()
      assert.deepEqual(
        listed.map(({ replacedBy }) => replacedBy),
        ['key_second', 'key_third', undefined],
      )
      assert.deepEqual(
        listed.map(({ expiresAt }) => expiresAt),
        [after(10), after(20), undefined],
      )
    },
  },
  {
    name: 'refuses to replace a key that is not there, and stores nothing',
    async run(keys) {
      await assert.rejects(async () => keys.replace('key_other', aNewApiKey('successor'), after(10)))
      assert.deepEqual(await keys.list(), [])
    },
  },
  {
    name: 'refuses a successor whose id or hash is taken, and changes nothing',
    async run(keys) {
      const old = aNewApiKey('old')
      await keys.add(old)
      for (const taken of [{ id: old.id }, { sha256: old.sha256 }]) {
        await assert.rejects(async () => keys.replace(old.id, aNewApiKey('successor', taken), after(10)))
      }
      assert.deepEqual(await keys.list(), [withoutHash(old)])
    },
  },
]

function withoutHash(key: ReturnType<typeof aNewApiKey>): Omit<typeof key, 'sha256'> {
  const { sha256: _, ...rest } = key
  return rest
}
