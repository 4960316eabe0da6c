import type { Pet } from '@pet-store/domain'
import type { Persistence } from '@pet-store/persistence'
import { withBulkAccess, withPersistence } from '../adapter/with-persistence.ts'
import { apiKeyOf } from '../bulk-cases/items.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { assertSeveralProcesses } from '../harness/several-processes.ts'
import { aNewApiKey, hashOf, withoutHash } from '../test-data/new-api-keys.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { after } from '../test-data/times.ts'

const GROUP = { group: 'persistence.bulk', timeLimitMs: 120_000 }
const ROUNDS = 3
/** The ids that bulk access writes are not greater than those that were assigned. */
const LAST_ID = 1_000n

/** An open adapter sees at once what bulk access writes, even where it has read before. */
export const bulkFreshReadCases: readonly HarnessCase[] = casesOf(GROUP, {
  'fresh-reads: reads at once what bulk access has written, even where it has read before': async (
    harness,
  ) => {
    assertSeveralProcesses(harness)
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    await withPersistence(harness, url, (opened) =>
      withBulkAccess(harness, url, async (bulk) => {
        await bulk.movePetIdsPast(LAST_ID)
        const written: Pet[] = []
        for (let round = 1; round <= ROUNDS; round += 1) {
          await expectPets(opened, written)
          const pet = { id: BigInt(round), ...aNewPet({ name: `Pet ${round}`, status: 'sold' }) }
          expectEqual(await opened.pets.find(pet.id), undefined, 'a pet that is not written yet')
          await bulk.writePets([pet])
          written.push(pet)
          await expectPets(opened, written)
          const key = anIdempotencyKey({ key: `${round}` })
          await bulk.writeIdempotencyKeys([{ ...key, petId: pet.id }])
          expectEqual(
            await opened.pets.addWithKey(aNewPet(), key),
            { pet, isReplay: true },
            'the pet of a key that bulk access has written',
          )
          if (opened.apiKeys === undefined) continue
          const name = `${round}`
          const expected = withoutHash(aNewApiKey(name))
          const find = async () => opened.apiKeys?.findByHash(hashOf(name))
          expectEqual(await find(), undefined, 'an API key that is not written yet')
          await bulk.writeApiKeys([apiKeyOf(name)])
          expectEqual(await find(), expected, 'an API key that bulk access has written')
          const revokedAt = after(5)
          await bulk.writeApiKeys([apiKeyOf(name, { revokedAt })])
          expectEqual(await find(), { ...expected, revokedAt }, 'a key that bulk access revoked')
          const listed = (await opened.apiKeys.list()).map(({ revokedAt: at }) => at)
          const revocations = Array.from({ length: round }, () => revokedAt)
          expectEqual(listed, revocations, 'the revocations of the keys in the list')
        }
      }),
    )
  },
})

/** These pets alone are stored. */
async function expectPets({ pets }: Persistence, expected: readonly Pet[]): Promise<void> {
  for (const query of [
    {},
    { status: 'sold' },
    { after: 0n },
    { status: 'sold', after: 0n },
  ] as const)
    expectEqual(
      await pets.list({ ...query, limit: 20 }),
      expected,
      `the pets of a page that bulk access has written to, ${Object.keys(query).join(', ')}`,
    )
  for (const pet of expected)
    expectEqual(await pets.find(pet.id), pet, 'a pet that bulk access has written')
}
