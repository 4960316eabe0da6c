import type { ApiKey, ApiKeyRepository } from '@pet-store/access'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual, expectImpossible } from '../case/expectations.ts'
import { aNewApiKey, withoutHash } from '../test-data/new-api-keys.ts'
import { after } from '../test-data/times.ts'

/**
 * Calls must meet in the short time between two statements; those of the first round may still open
 * connections.
 */
const ROUNDS = 12

/** A key gets one successor, and ends with the overlap. */
export const replacingCases: readonly ContractCase<ApiKeyRepository>[] = casesOf(
  'api-key.replace',
  {
    'successor: replaces a key: stores the successor and ends the old key': async (keys) => {
      const old = aNewApiKey('old')
      const fields = { createdAt: after(1), createdBy: 'Ada', expiresAt: after(100) }
      const successor = aNewApiKey('successor', { ...fields, scopes: ['pets:write'] })
      await keys.add(old)
      expectEqual(
        await keys.replace(old.id, successor, after(10)),
        true,
        'replace must return true',
      )
      const stored = withoutHash(successor)
      expectEqual(await keys.find(successor.id), stored, 'the successor must be found by its id')
      expectEqual(
        await keys.findByHash(successor.sha256),
        stored,
        'the successor must be found by its hash',
      )
      const ending = { ...withoutHash(old), expiresAt: after(10), replacedBy: successor.id }
      expectEqual(await keys.find(old.id), ending, 'the old key must end and name its successor')
      expectEqual(
        await keys.findByHash(old.sha256),
        ending,
        'the old key must end and name its successor',
      )
      expectEqual(await keys.list(), [ending, stored], 'both keys must be listed')
    },
    'earlier-end: never extends the life of a replaced key': async (keys) => {
      await keys.add(aNewApiKey('old', { expiresAt: after(5) }))
      await keys.replace('key_old', aNewApiKey('successor'), after(10))
      expectEqual(
        (await keys.find('key_old'))?.expiresAt,
        after(5),
        'replace must keep the earlier end of the old key',
      )
      await keys.add(aNewApiKey('ended', { createdAt: after(50) }))
      const successor = aNewApiKey('next', { createdAt: after(60) })
      await keys.replace('key_ended', successor, after(40))
      expectEqual(
        (await keys.find('key_ended'))?.expiresAt,
        after(40),
        'replace must set an end in the past as it is given',
      )
    },
    'any-state: replaces a key that ends later, has ended, or is revoked, and changes its end only':
      async (keys) => {
        for (const [index, { expiresAt, isRevoked, end }] of [
          { expiresAt: after(100), isRevoked: false, end: after(50) },
          { expiresAt: after(100), isRevoked: true, end: after(50) },
          { expiresAt: after(50), isRevoked: false, end: after(50) },
          { expiresAt: after(1), isRevoked: false, end: after(1) },
          { expiresAt: after(1), isRevoked: true, end: after(1) },
        ].entries()) {
          const old = aNewApiKey(`old ${index}`, { expiresAt })
          await keys.add(old)
          if (isRevoked) await keys.revoke(old.id, after(2), 'Ada')
          const before = (await keys.find(old.id)) as ApiKey
          const successor = aNewApiKey(`new ${index}`)
          const isReplaced = await keys.replace(old.id, successor, after(50))
          expectEqual(isReplaced, true, 'replace must return true for a key in any state')
          const expected = { ...before, expiresAt: end, replacedBy: successor.id }
          expectEqual(
            await keys.find(old.id),
            expected,
            'replace must change the end of the old key only',
          )
          expectEqual(
            await keys.find(successor.id),
            withoutHash(successor),
            'find must return the successor',
          )
        }
      },
    'concurrent: replaces a key once, even when many calls arrive at the same time': async (
      keys,
    ) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const { id: old } = aNewApiKey(`old ${round}`)
        await keys.add(aNewApiKey(`old ${round}`))
        const names = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name} ${round}`)
        const results = await Promise.all(
          names.map((name) => keys.replace(old, aNewApiKey(name), after(10))),
        )
        expectEqual(results.filter(Boolean).length, 1, 'the number of calls that return true')
        const winner = `key_${names[results.indexOf(true)]}`
        const stored = await Promise.all(names.map((name) => keys.find(`key_${name}`)))
        expectEqual(
          stored.flatMap((key) => key?.id ?? []),
          [winner],
          'only one successor may be stored',
        )
        expectEqual(
          (await keys.find(old))?.replacedBy,
          winner,
          'the old key must name its successor',
        )
      }
      const { id: old } = aNewApiKey('old 0')
      const isReplaced = await keys.replace(old, aNewApiKey('late'), after(1))
      expectEqual(isReplaced, false, 'replace must return false for a key that has a successor')
      expectEqual(
        (await keys.find(old))?.expiresAt,
        after(10),
        'the end of the old key must not change',
      )
      expectEqual(await keys.find('key_late'), undefined, 'the second successor must not be stored')
      expectEqual((await keys.list()).length, 2 * ROUNDS, 'the number of keys that are stored')
    },
    'again: replaces a successor too': async (keys) => {
      await keys.add(aNewApiKey('first'))
      await keys.replace('key_first', aNewApiKey('second', { createdAt: after(1) }), after(10))
      const isReplaced = await keys.replace(
        'key_second',
        aNewApiKey('third', { createdAt: after(2) }),
        after(20),
      )
      expectEqual(isReplaced, true, 'replace must return true for a successor')
      expectEqual(
        (await keys.list()).map(({ replacedBy, expiresAt }) => [replacedBy, expiresAt]),
        [
          ['key_second', after(10)],
          ['key_third', after(20)],
          [undefined, undefined],
        ],
        'each key must name its successor and end with its overlap',
      )
    },
    'unknown: rejects to replace an unknown key, and stores nothing': async (keys) => {
      await expectImpossible(
        async () => keys.replace('key_other', aNewApiKey('successor'), after(10)),
        'replace must reject an unknown key',
      )
      expectEqual(await keys.list(), [], 'nothing may be stored')
    },
    'taken: rejects a successor whose id or hash is taken, and changes nothing': async (keys) => {
      const [old, third] = [aNewApiKey('old'), aNewApiKey('third', { createdAt: after(1) })]
      for (const key of [old, third]) await keys.add(key)
      const stored = [old, third]
      for (const taken of stored.flatMap(({ id, sha256 }) => [{ id }, { sha256 }])) {
        await expectImpossible(
          async () => keys.replace(old.id, aNewApiKey('successor', taken), after(10)),
          'replace must reject a taken id or hash',
        )
      }
      expectEqual(await keys.list(), stored.map(withoutHash), 'no key must change')
      for (const { id, sha256 } of stored)
        expectEqual(
          (await keys.findByHash(sha256))?.id,
          id,
          'findByHash must return the key that had the hash before',
        )
    },
    'changed-since: lists exactly the keys created, replaced or revoked at a time or later': async (
      keys,
    ) => {
      // The last changes are at 0 ms: a time of 0 is a time.
      await expectChangesListed(keys, '1970', new Date(-20))
      await expectChangesListed(keys, 'now', after(0))
    },
  },
)

/** Changes keys in the 20 milliseconds after `start`; keys that exist were changed before. */
async function expectChangesListed(
  keys: ApiKeyRepository,
  name: string,
  start: Date,
): Promise<void> {
  const at = (ms: number) => new Date(start.getTime() + ms)
  const keyOf = (role: string, createdMs = 0) =>
    aNewApiKey(`${name} ${role}`, { createdAt: at(createdMs) })
  const [untouched, before, replaced, revoked, ended] = [
    { ...keyOf('untouched'), expiresAt: at(90) },
    keyOf('replaced before', 1),
    keyOf('replaced'),
    // Each at another time, because the order of keys of one time is not stated.
    keyOf('revoked', 6),
    keyOf('replaced before, revoked', 5),
  ] as const
  for (const key of [untouched, replaced, revoked, before, ended]) await keys.add(key)
  await keys.replace(before.id, keyOf('untouched next', 2), at(30))
  const successor = keyOf('successor', 20)
  await keys.replace(replaced.id, successor, at(30))
  await keys.revoke(revoked.id, at(20))
  // Its successor has not changed, and it has the end and the id of that one.
  await keys.replace(ended.id, keyOf('untouched successor', 3), at(30))
  await keys.revoke(ended.id, at(20))
  // A use is no such change.
  await keys.markUsed([{ id: untouched.id, at: at(40) }])
  const ids = [replaced.id, revoked.id, ended.id, successor.id]
  const isChanged = ({ id }: { readonly id: string }) => ids.includes(id)
  const changed = (await keys.list()).filter(isChanged)
  for (const time of [at(10), at(20)]) {
    expectEqual(
      // Callers use the whole list where this function is absent.
      (await keys.listChangedSince?.(time)) ?? (await keys.list()).filter(isChanged),
      changed,
      `the keys that changed since ${time.toISOString()}, in the order of the whole list`,
    )
  }
  const none = (await keys.listChangedSince?.(at(21))) ?? []
  expectEqual(none, [], 'the keys that changed after the last change')
}
