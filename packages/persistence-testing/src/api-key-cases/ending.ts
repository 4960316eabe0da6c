import type { ApiKeyRepository } from '@pet-store/access'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { aTurnLater, wait } from '../case/wait.ts'
import { aNewApiKey, withoutHash } from '../test-data/new-api-keys.ts'
import { after } from '../test-data/times.ts'

const ADA = `Ada "אדה" 🐕`

/** Keys are revoked permanently, and their last use is recorded. */
export const endingCases: readonly ContractCase<ApiKeyRepository>[] = casesOf('api-key', {
  'revoke: revokes one key, stores by whom, and changes neither when it is revoked again': async (
    keys,
  ) => {
    const kiosk = aNewApiKey('kiosk')
    const neighbour = aNewApiKey('neighbour')
    await keys.add(kiosk)
    await keys.add(neighbour)
    for (const [minute, by] of [[5, ADA], [9, 'Bob'], [1]] as const) {
      expectEqual(
        await keys.revoke(kiosk.id, after(minute), by),
        true,
        'revoke must return true for a known key',
      )
    }
    const revoked = { ...withoutHash(kiosk), revokedAt: after(5), revokedBy: ADA }
    expectEqual(
      await keys.find(kiosk.id),
      revoked,
      'the key must be revoked at the first time, by the first one',
    )
    expectEqual(
      await keys.findByHash(kiosk.sha256),
      revoked,
      'the key must be revoked at the first time',
    )
    expectEqual(
      await keys.find(neighbour.id),
      withoutHash(neighbour),
      'another key must not change',
    )
    await keys.revoke(neighbour.id, after(5))
    await keys.revoke(neighbour.id, after(6), 'Bob')
    const unnamed = { ...withoutHash(neighbour), revokedAt: after(5) }
    expectEqual(
      await keys.find(neighbour.id),
      unnamed,
      'a key that nobody is named for must not name anybody',
    )
  },
  'revoke-beside-reads: finds a key revoked as soon as that has resolved, beside earlier reads':
    async (keys) => {
      // Often: the result of an earlier read is late enough in few of them. Several at a time: with
      // an adapter that is slow to reach, one after the other would take longer than a case may.
      await inGroups(REVOKED_BESIDE_READS, (index) => expectRevokedAtOnce(keys, index), 4)
    },
  'revoke-unknown: returns false when there is no such key to revoke': async (keys) => {
    await keys.add(aNewApiKey('kiosk'))
    expectEqual(
      await keys.revoke('key_other', after(0)),
      false,
      'revoke must return false for an unknown key',
    )
    expectEqual(
      (await keys.find('key_kiosk'))?.revokedAt,
      undefined,
      'another key must not be revoked',
    )
  },
  'revoke-concurrent: keeps a revocation when the key is used and replaced at the same time': (
    keys,
  ) => expectRevocationsKept(keys, keys),
  'revoke-at-once: keeps the first of several revocations that come at the same time': (keys) =>
    expectRevokedOnce(keys, keys),
  'mark-used: records the latest use of a key, in whatever order the uses arrive': async (keys) => {
    const { sha256, ...key } = aNewApiKey('kiosk')
    await keys.add({ ...key, sha256 })
    await keys.add(aNewApiKey('neighbour'))
    await keys.markUsed([{ id: key.id, at: after(5) }])
    expectEqual(
      await keys.find(key.id),
      { ...key, lastUsedAt: after(5) },
      'the use must be recorded',
    )
    await Promise.all(
      [7, 9, 8, 1].map((minute) => keys.markUsed([{ id: key.id, at: after(minute) }])),
    )
    expectEqual(
      await keys.findByHash(sha256),
      { ...key, lastUsedAt: after(9) },
      'the latest use must be recorded',
    )
    await keys.markUsed([11, 13, 12].map((minute) => ({ id: key.id, at: after(minute) })))
    expectEqual(
      (await keys.find(key.id))?.lastUsedAt,
      after(13),
      'the latest use of one call must be recorded',
    )
    // A time of 0 is a time.
    const moments = [-1, 0, 1].map((ms) => new Date(ms))
    const pairs = moments.flatMap((one) => moments.map((other) => [one, other] as const))
    for (const [index, [one, other]] of pairs.entries()) {
      const id = `key_pair${index}`
      await keys.add(aNewApiKey(`pair${index}`))
      await keys.markUsed([one, other].map((at) => ({ id, at })))
      expectEqual(
        (await keys.find(id))?.lastUsedAt,
        new Date(Math.max(Number(one), Number(other))),
        `the later of the uses at ${Number(one)} and ${Number(other)} ms`,
      )
    }
    expectEqual(
      (await keys.find('key_neighbour'))?.lastUsedAt,
      undefined,
      'another key must not be marked as used',
    )
  },
  'mark-used-many: records the uses of many keys in one call': async (keys) => {
    const names = Array.from({ length: 300 }, (_, index) => `k${index}`)
    await inGroups(names.length, (index) => keys.add(aNewApiKey(`k${index}`)))
    await keys.markUsed([{ id: 'key_k7', at: after(9_000) }])
    // Those of keys that an operator has deleted come first.
    const unknown = Array.from({ length: 2_000 }, (_, index) => `gone${index}`)
    await keys.markUsed([
      ...unknown.map((name) => ({ id: `key_${name}`, at: after(0) })),
      ...names.map((name, index) => ({ id: `key_${name}`, at: after(index) })),
    ])
    for (const [index, at] of [after(0), after(9_000), after(299)].entries()) {
      const id = `key_k${[0, 7, 299][index]}`
      expectEqual((await keys.find(id))?.lastUsedAt, at, `the latest use of ${id}`)
    }
    const unused = (await keys.list()).filter(({ lastUsedAt }) => lastUsedAt === undefined)
    expectEqual(unused, [], 'every key must have a last use')
  },
  'mark-used-orders: records the uses of calls that name the same keys in different orders': async (
    keys,
  ) => {
    const ids = Array.from({ length: USED_TOGETHER }, (_, index) => `key_k${index}`)
    await inGroups(ids.length, (index) => keys.add(aNewApiKey(`k${index}`)))
    // Several instances of the service record uses at the same time: locks of keys that are taken
    // in different orders make a database end one of the calls.
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(
        Array.from({ length: CALLS_TOGETHER }, async (_, call) => {
          const uses = ids.map((id) => ({ id, at: after(round * CALLS_TOGETHER + call) }))
          await keys.markUsed(call % 2 === 0 ? uses : uses.toReversed())
        }),
      )
    }
    const times = (await keys.list()).map(({ lastUsedAt }) => lastUsedAt)
    expectEqual(
      times,
      ids.map(() => after(ROUNDS * CALLS_TOGETHER - 1)),
      'the last use of each key after calls at the same time',
    )
  },
  'mark-used-unknown: accepts the use of an unknown key, and no uses at all, without an error':
    async (keys) => {
      await keys.markUsed([{ id: 'key_other', at: after(0) }])
      await keys.markUsed([])
      expectEqual(await keys.list(), [], 'nothing may be stored for an unknown key')
      await keys.add(aNewApiKey('kiosk'))
      await keys.markUsed(['key_other', 'key_kiosk'].map((id) => ({ id, at: after(1) })))
      expectEqual(
        (await keys.find('key_kiosk'))?.lastUsedAt,
        after(1),
        'the use of the known key must be recorded',
      )
    },
})

const REVOKED_BESIDE_READS = 60

/** Reads that began before have another result; no later one may get it. */
async function expectRevokedAtOnce(keys: ApiKeyRepository, index: number): Promise<void> {
  const key = aNewApiKey(`${index}`)
  await keys.add(key)
  const read = index % 3 === 0 ? () => keys.find(key.id) : () => keys.findByHash(key.sha256)
  let hasEnded = false
  const reading = async () => {
    for (let reads = 1; !hasEnded; reads += 1) {
      // An adapter that reads from memory would leave the revocation no turn of the event loop.
      if (reads % 8 === 0) await aTurnLater()
      await read()
    }
  }
  const revoking = async () => {
    await wait(index % 8)
    await keys.revoke(key.id, after(5))
    return read()
  }
  const revokedAndRead = revoking().finally(() => {
    hasEnded = true
  })
  const [found] = await Promise.all([revokedAndRead, reading()])
  const revoked = { ...withoutHash(key), revokedAt: after(5) }
  expectEqual(found, revoked, 'a read after revoke has resolved must return the revoked key')
}

/**
 * One caller revokes keys while another uses and replaces them; what was read before must not be
 * written over it.
 */
export async function expectRevocationsKept(
  keys: ApiKeyRepository,
  other: ApiKeyRepository,
): Promise<void> {
  await inGroups(24, async (index) => {
    const id = `key_${index}`
    await keys.add(aNewApiKey(`${index}`))
    const revoke = async () => {
      // In the middle of the others, of each at another time.
      if (index % 4 > 0) await wait(index % 4)
      await keys.revoke(id, after(5), 'Ada')
    }
    const use = () => other.markUsed([{ id, at: after(7) }])
    const successor = aNewApiKey(`next ${index}`)
    const replace = () => other.replace(id, successor, after(10))
    const calls = [use, revoke, replace, use, revoke]
    await Promise.all(calls.slice(index % 3, (index % 3) + 3).map((call) => call()))
    const { revokedAt, revokedBy, lastUsedAt, replacedBy } = (await keys.find(id)) ?? {}
    expectEqual([revokedAt, revokedBy], [after(5), 'Ada'], 'when and by whom the key was revoked')
    const others = [after(7), successor.id]
    expectEqual([lastUsedAt, replacedBy], others, 'the use and the successor of a revoked key')
  })
}

/** How many calls revoke a key at the same time, and how many keys. */
const REVOCATIONS = 8
const REVOKED_KEYS = 15

/** Two callers revoke keys at the same time; what one call has found, all find later. */
export async function expectRevokedOnce(
  keys: ApiKeyRepository,
  other: ApiKeyRepository,
): Promise<void> {
  for (let number = 0; number < REVOKED_KEYS; number += 1) {
    const key = aNewApiKey(`revoked ${number}`)
    await keys.add(key)
    const found = await inGroups(REVOCATIONS, async (index) => {
      const caller = index % 2 === 0 ? keys : other
      await caller.revoke(key.id, after(index), `${index}`)
      const { revokedAt, revokedBy } = (await caller.find(key.id)) ?? {}
      return [revokedAt, revokedBy]
    })
    const [first] = found
    expectEqual(
      found,
      found.map(() => first),
      'when and by whom a key was revoked, which no later call changes',
    )
  }
}

/** How many keys each call names, how many calls there are at a time, and how often. */
const USED_TOGETHER = 300
const CALLS_TOGETHER = 10
const ROUNDS = 6
