import type { Persistence } from '@pet-store/persistence'
import { expectEqual } from '../case/expectations.ts'
import type { PersistenceHarness } from '../harness/persistence-harness.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { idsOf, listAll } from '../test-data/stored-pets.ts'
import { after } from '../test-data/times.ts'
import { everyBulkCall } from './every-bulk-call.ts'
import { expectWorks } from './expect-works.ts'
import { withBulkAccess } from './with-persistence.ts'

/** The same key in every database: what each knows must be its own. */
export async function useOnce({ pets }: Persistence): Promise<void> {
  await pets.addWithKey(aNewPet(), { owner: 'o', key: 'k', fingerprint: 'Rex', at: after(0) })
}

/** Expects only what was done through this opening, which has the label. */
export async function expectApart(opened: Persistence, label: string): Promise<void> {
  expectEqual((await listAll(opened.pets)).length, 1, 'the number of pets of one of two databases')
  await expectWorks(opened, label)
  const names = (await opened.apiKeys?.list())?.map(({ name }) => name.split(' ')[0]) ?? [label]
  expectEqual(
    new Set(names),
    new Set([label]),
    'the labels of the API keys in one of two databases',
  )
  const limiter = opened.createRateLimiter?.({ requests: 1, windowMs: 24 * 3_600_000 })
  const { isAllowed } = (await limiter?.take('key_kiosk')) ?? { isAllowed: true }
  expectEqual(isAllowed, true, 'isAllowed of the first request of a key in a database')
}

/** Calls every function of bulk access on two databases, with other ids in each. */
export async function expectBulkApart(
  harness: PersistenceHarness,
  url: string,
  urlBeside: string,
): Promise<void> {
  const [low, high] = [1_000n, 2_000n]
  await withBulkAccess(harness, url, (one) =>
    withBulkAccess(harness, urlBeside, async (other) => {
      const parts = [
        { bulk: one, id: low },
        { bulk: other, id: high },
      ]
      for (const { bulk, id } of parts) for (const { run } of everyBulkCall(bulk, id)) await run()
      for (const { bulk, id } of parts) {
        const written = [low, high].map(String)
        const ofBoth = (texts: readonly string[]) =>
          texts.filter((text) => written.some((other) => text.endsWith(other)))
        const last = await bulk.lastPetId()
        const ids = idsOf(await bulk.readPets({ limit: MANY }))
        const found = {
          count: await bulk.countPets(),
          pets: ofBoth(ids.map(String)),
          imports: (await bulk.readPetImports()).map((read) => read.id),
          idempotencyKeys: ofBoth((await bulk.readIdempotencyKeys(MANY)).map(({ key }) => key)),
          apiKeys: ofBoth((await bulk.readApiKeys()).map((key) => key.id)),
          isLastId: last >= id && last < id + low,
        }
        const expected = {
          count: ids.length,
          pets: [`${id}`],
          imports: [id, id + 50n],
          idempotencyKeys: [`${id}`],
          apiKeys: [`key_${id}`],
          isLastId: true,
        }
        expectEqual(found, expected, `what bulk access wrote to one of two databases, of ${id}`)
      }
    }),
  )
}

/** More than is stored. */
const MANY = 1_000
