import type { ApiKeyRepository } from '@pet-store/access'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { LIMITS } from '../test-data/list-limits.ts'
import { aNewApiKey } from '../test-data/new-api-keys.ts'
import { after } from '../test-data/times.ts'

/** Long enough for a thousand writes to a disk, one after the other. */
const GROUP = { group: 'api-key.add', timeLimitMs: 60_000 }

/** Every key is listed, in the order of creation. */
export const keyListingCases: readonly ContractCase<ApiKeyRepository>[] = casesOf(GROUP, {
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
    let count = 0
    for (const number of [...new Set(LIMITS), 1_010].toSorted((one, other) => one - other)) {
      if (number > 1_010) break
      const first = count
      count = number
      await inGroups(number - first, (index) =>
        keys.add(aNewApiKey(`${first + index}`, { createdAt: after(first + index) })),
      )
      expectEqual((await keys.list()).length, number, `how many are listed of ${number} keys`)
      const changed = await keys.listChangedSince?.(after(0))
      expectEqual(changed?.length ?? number, number, `how many are listed of ${number} changes`)
    }
    const ids = (await keys.list()).map(({ id }) => id)
    expectEqual(
      ids,
      Array.from({ length: 1_010 }, (_, index) => `key_${index}`),
      'the ids that list returns of 1,010 keys',
    )
  },
})
