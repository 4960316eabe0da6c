import type { ApiKey, ApiKeyRepository, NewApiKey } from '@pet-store/access'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { aNewApiKey, withoutHash } from '../test-data/new-api-keys.ts'
import { after } from '../test-data/times.ts'

/** Each function changes its own fields of its own key, in whatever order they are called. */
export const changingCases: readonly ContractCase<ApiKeyRepository>[] = casesOf('api-key', {
  'own-fields: changes the fields of a use, a revocation and a rotation alone, in any order':
    async (keys) => {
      const neighbour = aNewApiKey('neighbour', { createdBy: 'Eve', expiresAt: after(90) })
      await keys.add(neighbour)
      await keys.revoke(neighbour.id, after(1), 'Eve')
      await keys.markUsed([{ id: neighbour.id, at: after(2) }])
      const before = await keys.find(neighbour.id)
      // Side by side, for an adapter that is slow to reach.
      await inGroups(ORDERS.length, async (index) => {
        const order = ORDERS[index] ?? []
        const key = aNewApiKey(`full ${index}`, FULL)
        await keys.add(key)
        let expected: ApiKey = withoutHash(key)
        for (const name of order) {
          const fields = await CHANGES[name](keys, key.id)
          expected = { ...expected, ...fields }
          const listed = (await keys.list()).find(({ id }) => id === key.id)
          const results = {
            found: await keys.find(key.id),
            byHash: await keys.findByHash(key.sha256),
            listed,
          }
          expectEqual(
            results,
            { found: expected, byHash: expected, listed: expected },
            `the key after ${order.slice(0, order.indexOf(name) + 1).join(', ')}`,
          )
        }
      })
      expectEqual(await keys.find(neighbour.id), before, 'another key must not change')
    },
  'arguments: changes no API key that it is given, and takes frozen ones': async (keys) => {
    const scopes = Object.freeze(['pets:read'] as const)
    const [old, successor] = ['old', 'successor'].map((name) =>
      Object.freeze(aNewApiKey(name, { scopes })),
    ) as [NewApiKey, NewApiKey]
    const uses = Object.freeze([Object.freeze({ id: old.id, at: after(3) })])
    await keys.add(old)
    await keys.markUsed(uses)
    expectEqual(await keys.replace(old.id, successor, after(10)), true, 'replace must return true')
    const unfrozen = () => ({
      added: aNewApiKey('added', { scopes: [...scopes] }),
      next: aNewApiKey('next', { scopes: [...scopes] }),
      uses: [old, successor].map(({ id }) => ({ id, at: after(2) })),
    })
    const given = unfrozen()
    await keys.add(given.added)
    await keys.markUsed(given.uses)
    await keys.replace(given.added.id, given.next, after(10))
    expectEqual(given, unfrozen(), 'keys and uses that were given must not change')
    const ending = { expiresAt: after(10), replacedBy: successor.id, lastUsedAt: after(3) }
    expectEqual(
      await keys.find(old.id),
      { ...withoutHash(old), ...ending },
      'find must return the old key with its end and its use',
    )
    expectEqual(
      await keys.find(successor.id),
      { ...withoutHash(successor), lastUsedAt: after(2) },
      'find must return the successor as given',
    )
  },
  'any-time: stores times that are given, even of another century than that of the machine': async (
    keys,
  ) => {
    const others = Object.entries(OTHER_TIMES)
    // Side by side, for an adapter that is slow to reach.
    const storeTimes = async ([name, time]: (typeof others)[number]) => {
      const key = aNewApiKey(name, { createdAt: time, expiresAt: time })
      await keys.add(key)
      await keys.revoke(key.id, time)
      await keys.revoke(key.id, after(5), 'Ada')
      const expected = { ...withoutHash(key), revokedAt: time }
      expectEqual(
        await keys.find(key.id),
        expected,
        `find must return the key of ${name} with its times as given`,
      )
      await keys.markUsed([{ id: key.id, at: time }])
      expectEqual(
        await keys.find(key.id),
        { ...expected, lastUsedAt: time },
        `find must return its use in ${name} as given`,
      )
      const endless = aNewApiKey(`${name} endless`)
      await keys.add(endless)
      const successor = aNewApiKey(`${name} next`, { createdAt: time })
      await keys.replace(endless.id, successor, time)
      expectEqual(
        await keys.find(endless.id),
        { ...withoutHash(endless), expiresAt: time, replacedBy: successor.id },
        `find must return the end of its overlap in ${name} as given`,
      )
    }
    await Promise.all(others.map(storeTimes))
    // What ended or ends at such a time, and is replaced.
    const replaceAtTimes = async ([name, time]: (typeof others)[number]) => {
      for (const [own, until] of [
        [time, after(10)],
        [after(10), time],
      ] as const) {
        const label = `${name} ${own.getTime()}`
        const key = aNewApiKey(label, { expiresAt: own })
        await keys.add(key)
        await keys.replace(key.id, aNewApiKey(`next of ${label}`), until)
        const { expiresAt } = (await keys.find(key.id)) ?? {}
        const expected = new Date(Math.min(Number(until), Number(own)))
        expectEqual(expiresAt, expected, `the end of a replaced key, with ${name}`)
      }
    }
    await Promise.all(others.map(replaceAtTimes))
  },
})

/** Times that conversions change, or take for none. */
export const OTHER_TIMES: Readonly<Record<string, Date>> = {
  'the next year': after(31_536_000_000),
  // 32 bits of seconds end in 2038, unsigned ones in 2106.
  'the year 2040': new Date('2040-02-29T12:00:00.007Z'),
  'the year 2110': new Date('2110-02-28T12:00:00.007Z'),
  // A time that is 0 is not absent.
  'the first moment of 1970': new Date(0),
  'the year 9999': new Date('9999-12-31T23:59:59.999Z'),
  'the year 1969': new Date('1969-12-31T23:59:59.999Z'),
}

const FULL = {
  scopes: ['pets:read', 'pets:write'],
  createdBy: 'Ada',
  expiresAt: after(100),
} as const

type Change = 'used' | 'revoked' | 'replaced'

/** Changes a key, and returns the fields that have changed. */
const CHANGES: Readonly<
  Record<Change, (keys: ApiKeyRepository, id: string) => Promise<Partial<ApiKey>>>
> = {
  async used(keys, id) {
    await keys.markUsed([{ id, at: after(3) }])
    return { lastUsedAt: after(3) }
  },
  async revoked(keys, id) {
    await keys.revoke(id, after(5), 'Bob')
    return { revokedAt: after(5), revokedBy: 'Bob' }
  },
  async replaced(keys, id) {
    const name = `next of ${id}`
    const successor = aNewApiKey(name, { createdAt: after(9) })
    await keys.replace(id, successor, after(10))
    return { expiresAt: after(10), replacedBy: successor.id }
  },
}

const ORDERS: readonly (readonly Change[])[] = [
  ['used', 'revoked', 'replaced'],
  ['used', 'replaced', 'revoked'],
  ['revoked', 'used', 'replaced'],
  ['revoked', 'replaced', 'used'],
  ['replaced', 'used', 'revoked'],
  ['replaced', 'revoked', 'used'],
]
