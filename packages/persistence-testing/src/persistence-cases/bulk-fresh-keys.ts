import type { ApiKeyRepository } from '@pet-store/access'
import type { Pet, PetRepository } from '@pet-store/domain'
import type { BulkAccess, StoredApiKey } from '@pet-store/persistence'
import { expectKey } from '../adapter/expect-works.ts'
import { withBulkAccess, withPersistence } from '../adapter/with-persistence.ts'
import { apiKeyOf } from '../bulk-cases/items.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { assertSeveralProcesses } from '../harness/several-processes.ts'
import { aNewApiKey, hashOf, withoutHash } from '../test-data/new-api-keys.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { after } from '../test-data/times.ts'

const GROUP = { group: 'persistence.bulk', timeLimitMs: 120_000 }
const ROUNDS = 3

/** An open adapter sees at once which of the keys that it has read bulk access replaces. */
export const bulkFreshKeyCases: readonly HarnessCase[] = casesOf(GROUP, {
  'fresh-keys: reads at once each key that bulk access has replaced, and not by its old hash':
    async (harness) => {
      assertSeveralProcesses(harness)
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      await withPersistence(harness, url, ({ pets, apiKeys }) =>
        withBulkAccess(harness, url, async (bulk) => {
          const petOf = (id: bigint): Pet => ({ id, ...aNewPet({ name: `Pet ${id}` }) })
          const written = [petOf(1n), petOf(2n)] as const
          await bulk.writePets(written)
          await bulk.movePetIdsPast(2n)
          for (let round = 0; round < ROUNDS; round += 1) {
            await expectPetReplaced(pets, bulk, written, `${round}`)
            if (apiKeys !== undefined) await expectHashReplaced(apiKeys, bulk, `${round}`)
            if (apiKeys !== undefined) await expectRotationReplaced(apiKeys, bulk, `${round}`)
          }
        }),
      )
    },
})

/** An idempotency key gets another pet and another fingerprint. */
async function expectPetReplaced(
  pets: PetRepository,
  bulk: BulkAccess,
  [one, other]: readonly [Pet, Pet],
  name: string,
): Promise<void> {
  const key = anIdempotencyKey({ key: name })
  const replaced = { ...key, fingerprint: 'other' }
  await bulk.writeIdempotencyKeys([{ ...key, petId: one.id }])
  expectEqual(
    await pets.addWithKey(aNewPet(), key),
    { pet: one, isReplay: true },
    'a repeat with a key that bulk access has written',
  )
  await bulk.writeIdempotencyKeys([{ ...replaced, petId: other.id }])
  expectEqual(
    await pets.addWithKey(aNewPet(), replaced),
    { pet: other, isReplay: true },
    'a repeat with a key that bulk access has replaced',
  )
  await expectRejection(
    () => pets.addWithKey(aNewPet(), key),
    'a call with the fingerprint that bulk access has replaced must reject',
    { code: 'idempotency_key_reused' },
  )
}

/** An API key gets another hash, and another key gets the hash that it had. */
async function expectHashReplaced(
  apiKeys: ApiKeyRepository,
  bulk: BulkAccess,
  name: string,
): Promise<void> {
  const old = aNewApiKey(name)
  await bulk.writeApiKeys([old])
  await expectKey(apiKeys, old.sha256, withoutHash(old))
  const fields = { name: 'renamed', sha256: hashOf(`${name} other`), expiresAt: after(9) }
  const replaced = { ...aNewApiKey(name), ...fields }
  await bulk.writeApiKeys([replaced])
  expectEqual(await apiKeys.findByHash(old.sha256), undefined, 'the key of a replaced hash')
  await expectKey(apiKeys, replaced.sha256, withoutHash(replaced))
  const next = { ...aNewApiKey(`${name} next`), sha256: old.sha256 }
  await bulk.writeApiKeys([next])
  await expectKey(apiKeys, next.sha256, withoutHash(next))
}

/** An API key gets a successor, and has none again. */
async function expectRotationReplaced(
  apiKeys: ApiKeyRepository,
  bulk: BulkAccess,
  name: string,
): Promise<void> {
  const old = aNewApiKey(`${name} old`)
  const successor = aNewApiKey(`${name} successor`)
  await bulk.writeApiKeys([old])
  await expectKey(apiKeys, old.sha256, withoutHash(old))
  const rotation: StoredApiKey = { ...successor, replaces: old.id, overlapUntil: after(3) }
  await bulk.writeApiKeys([rotation])
  const ending = { expiresAt: after(3), replacedBy: successor.id }
  await expectKey(apiKeys, old.sha256, { ...withoutHash(old), ...ending })
  await expectKey(apiKeys, successor.sha256, withoutHash(successor))
  await bulk.writeApiKeys([apiKeyOf(`${name} old`), successor])
  await expectKey(apiKeys, old.sha256, withoutHash(old))
}
