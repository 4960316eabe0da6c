import type { BulkAccess, StoredApiKey } from '@pet-store/persistence'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { hashOf } from '../test-data/new-api-keys.ts'
import { apiKeyOf, MANY } from './items.ts'

/** Calls meet between the look for a hash and the write in some rounds only. */
const ROUNDS = 8
const IDS = ['one', 'two', 'three', 'four']

/** No two API keys have the same hash. */
export const takenHashCases: readonly ContractCase<BulkAccess>[] = casesOf('bulk', {
  'api-keys.taken-hash: stores none of the API keys of a call when another key has the hash of one':
    async (bulk) => {
      const others = await writtenOnce(bulk)
      const stored = [apiKeyOf('a'), ...others]
      await bulk.writeApiKeys([apiKeyOf('a')])
      await expectRejection(
        async () => bulk.writeApiKeys([apiKeyOf('b'), apiKeyOf('c', { sha256: hashOf('a') })]),
        'writeApiKeys must reject a taken hash',
      )
      await expectRejection(
        async () => bulk.writeApiKeys([apiKeyOf('b'), apiKeyOf('c', { sha256: hashOf('b') })]),
        'writeApiKeys must reject a hash twice',
      )
      expectEqual(await bulk.readApiKeys(), stored, 'the stored API keys must not change')
      const many = MANY.map((_, index) => apiKeyOf(`n${index}`))
      await expectRejection(
        async () => bulk.writeApiKeys([...many, apiKeyOf('z', { sha256: hashOf('a') })]),
        'writeApiKeys must reject a taken hash after thousands of others',
      )
      expectEqual(await bulk.readApiKeys(), stored, 'the stored API keys must not change')
      await bulk.writeApiKeys(many)
      expectEqual(
        (await bulk.readApiKeys()).length,
        many.length + stored.length,
        'the number of API keys that readApiKeys returns',
      )
    },
})

/** Of several calls at the same time that write one hash, which nobody had, one resolves. */
async function writtenOnce(bulk: BulkAccess): Promise<readonly StoredApiKey[]> {
  const written: StoredApiKey[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const sha256 = hashOf(`once ${round}`)
    const keys = IDS.map((id) => apiKeyOf(`once ${round} ${id}`, { sha256 }))
    const results = await Promise.allSettled(keys.map(async (key) => bulk.writeApiKeys([key])))
    const resolved = keys.filter((_, index) => results[index]?.status === 'fulfilled')
    expectEqual(resolved.length, 1, `how many of ${keys.length} calls that write a hash resolve`)
    written.push(...resolved)
  }
  expectEqual(await bulk.readApiKeys(), written, 'the keys of the calls that have resolved')
  return written
}
