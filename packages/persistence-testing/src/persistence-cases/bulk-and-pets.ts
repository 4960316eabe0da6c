import assert from 'node:assert/strict'
import { INT64, type Pet } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import { withBulk } from '../adapter/with-bulk.ts'
import { withBulkAccess, withPersistence } from '../adapter/with-persistence.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import type { HarnessCase, PersistenceHarness } from '../harness/persistence-harness.ts'
import { assertSeveralProcesses } from '../harness/several-processes.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { addKeyed, addPets, aNewPet } from '../test-data/new-pets.ts'
import { listAll, petsByName } from '../test-data/stored-pets.ts'

const GROUP = { group: 'persistence.bulk', timeLimitMs: 180_000 }
/** How often a page is written: an adapter may read between its parts, or not. */
const ROUNDS = 3
/** How many pages are looked for as soon as they have resolved. */
const FRESH_PAGES = 40

/** Pets that bulk access writes, an open adapter has, and the other way round. */
export const bulkAndPetsCases: readonly HarnessCase[] = casesOf(GROUP, {
  'pets: has the pets that bulk access has written, even beside 2^53, and gives greater ids':
    withBulk(async (harness, url, bulk) => {
      const ids = [7n, ...[-1n, 0n, 1n, 2n].map((offset) => 2n ** 53n + offset)]
      const written = ids.map((id) => ({ id, ...aNewPet({ status: 'sold' }) }))
      await bulk(async (open) => {
        await open.writePets(written)
        // Beyond the written ones, past which an adapter may move them itself.
        await open.movePetIdsPast(2n ** 53n + 9n)
      })
      const added = await withPersistence(harness, url, async ({ pets }) => {
        expectEqual(
          await listAll(pets),
          written,
          'list must return the pets that bulk access has written',
        )
        expectEqual(
          await pets.list({ status: 'sold', limit: 9 }),
          written,
          'list with a status must return the pets that bulk access has written',
        )
        for (const [index, pet] of written.entries()) {
          expectEqual(await pets.find(pet.id), pet, `the pet with the id ${pet.id}`)
          const rest = await pets.list({ after: pet.id, limit: 9 })
          expectEqual(rest, written.slice(index + 1), `the pets after the id ${pet.id}`)
        }
        return addPets(pets, 1)
      })
      assert.ok(
        (added[0]?.id ?? 0n) > 2n ** 53n + 9n,
        `the next id must be greater than 2^53 + 9, got ${added[0]?.id}`,
      )
      const all = [...written, ...added]
      expectEqual(
        await bulk((open) => open.readPets({ limit: 9 })),
        all,
        'readPets must return the pets of bulk access and of the adapter',
      )
      await withPersistence(harness, url, async ({ pets }) => {
        expectEqual(
          await listAll(pets),
          all,
          'list must return all pets, although ids are missing between them',
        )
        const rest = await pets.list({ after: 2n ** 53n + 2n, limit: 9 })
        expectEqual(rest, added, 'the pets after the missing ids')
      })
    }),
  'repeats: returns the pet of an idempotency key, also under an id beyond 2^53': withBulk(
    async (harness, url, bulk) => {
      await bulk((open) => open.movePetIdsPast(2n ** 53n))
      await withPersistence(harness, url, async ({ pets }) => {
        for (let count = 0; count < 4; count += 1) {
          const key = anIdempotencyKey({ key: `${count}` })
          const { pet } = await pets.addWithKey(aNewPet({ name: `Pet ${count}` }), key)
          const repeat = await pets.addWithKey(aNewPet({ name: `Pet ${count}` }), key)
          expectEqual(repeat, { pet, isReplay: true }, `a repeat for the pet ${pet.id}`)
        }
        expectEqual((await listAll(pets)).length, 4, 'the number of pets of four keys')
      })
    },
  ),
  'no-ids: rejects adds as unavailable when there are no more ids, and reads on': withBulk(
    async (harness, url, bulk) => {
      const stored = { id: 7n, ...aNewPet() }
      await bulk(async (open) => {
        await open.writePets([stored])
        await open.movePetIdsPast(INT64.max)
      })
      await withPersistence(harness, url, async ({ pets }) => {
        const unavailable = { code: 'persistence_unavailable', outcome: 'not_stored' }
        const calls = [
          () => pets.add(aNewPet()),
          () => pets.addWithKey(aNewPet(), anIdempotencyKey()),
        ]
        for (const call of calls)
          await expectRejection(call, 'an add must reject if there is no id for it', unavailable)
        const together = [...calls, ...calls].map((call) =>
          expectRejection(call, 'adds at the same time must reject', unavailable),
        )
        await Promise.all(together)
        expectEqual(await pets.find(7n), stored, 'the pet that is stored')
        expectEqual(await listAll(pets), [stored], 'the pets after adds were rejected')
      })
    },
  ),
  'int64: finds and lists pets that bulk access has written under ids over all of int64': withBulk(
    async (harness, url, bulk) => {
      const ids = [INT64.min, -(2n ** 53n) - 1n, -1n, 0n, 1n, 2n ** 53n + 1n, INT64.max]
      const written = ids.map((id) => ({ id, ...aNewPet({ status: 'sold' }) }))
      await bulk((open) => open.writePets(written))
      await withPersistence(harness, url, async ({ pets }) => {
        expectEqual(
          await listAll(pets),
          written,
          'list must return pets under ids over all of int64',
        )
        for (const [index, pet] of written.entries()) {
          expectEqual(await pets.find(pet.id), pet, `the pet with the id ${pet.id}`)
          for (const query of [{}, { status: 'sold' }] as const) {
            const rest = await pets.list({ ...query, after: pet.id, limit: 9 })
            expectEqual(rest, written.slice(index + 1), `the pets after the id ${pet.id}`)
          }
        }
      })
    },
  ),
  'beside: stores every pet of an import beside an adapter that adds pets, under its own id':
    async (harness) => {
      assertSeveralProcesses(harness)
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      await withPersistence(harness, url, async ({ pets }) => {
        const added: Pet[] = []
        await withBulkAccess(harness, url, async (bulk) => {
          for (let round = 0; round < 3; round += 1) {
            const before = [await bulk.countPets(), await bulk.readPets({ limit: 99 })]
            expectEqual(
              before,
              [added.length, added],
              'countPets and readPets must return the pets that an adapter has added',
            )
            const pet = await pets.add(aNewPet({ name: `fresh ${round}` }))
            added.push(pet)
            expectEqual(
              await bulk.lastPetId(),
              pet.id,
              'lastPetId after an adapter has added a pet',
            )
          }
          // Often: what is stored a moment later is seldom missing.
          for (let page = 0; page < FRESH_PAGES; page += 1) {
            await bulk.addPets([aNewPet({ name: `fresh page ${page}` })])
            const [pet] = await pets.list({ after: added.at(-1)?.id, limit: 1 })
            expectEqual(pet?.name, `fresh page ${page}`, 'the pet of a page that has resolved')
            added.push(pet as Pet)
          }
        })
        let hasEnded = false
        const adding = [1, 2, 3].map(async (caller) => {
          for (let count = 0; !hasEnded && count < 300; count += 1) {
            const pet = aNewPet({ name: `added ${caller} ${count}` })
            added.push(await (count % 2 === 0 ? pets.add(pet) : addKeyed(pets, pet)))
          }
        })
        const allAdded = awaitedLater(Promise.all(adding))
        const names = await withBulkAccess(harness, url, async (bulk) => {
          const imported: string[] = []
          for (let page = 0; page < 12; page += 1) {
            const items = Array.from({ length: 50 }, (_, index) =>
              aNewPet({ name: `imported ${page} ${index}` }),
            )
            const add = async (name: string) => added.push(await pets.add(aNewPet({ name })))
            await Promise.all([add(`before ${page}`), bulk.addPets(items), add(`after ${page}`)])
            imported.push(...items.map(({ name }) => name))
          }
          return imported
        }).finally(() => {
          hasEnded = true
        })
        await allAdded
        const stored = await petsByName(pets)
        for (const pet of added)
          expectEqual(
            stored.get(pet.name),
            pet,
            `list must contain the pet ${pet.name}, which was added beside an import`,
          )
        const missing = names.filter((name) => !stored.has(name))
        expectEqual(missing, [], 'the imported pets that are not stored')
        expectEqual(
          stored.size,
          added.length + names.length,
          'the number of pets that were added or imported',
        )
      })
    },
  'rejected: shows and counts no pet of a page of bulk access that is rejected in the end': async (
    harness,
  ) => {
    assertSeveralProcesses(harness)
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    await withPersistence(harness, url, ({ pets }) =>
      withTwo(harness, url, async (bulk, other) => {
        const stored = { id: 10_000n, ...aNewPet() }
        await bulk.writePets([stored])
        const page = Array.from({ length: 5_000 }, (_, index) => ({
          id: BigInt(index + 1),
          ...aNewPet(),
        }))
        for (let round = 0; round < ROUNDS; round += 1) {
          let hasEnded = false
          const writing = expectRejection(
            () => bulk.writePets([...page, stored]),
            'writePets must reject a taken id',
          ).finally(() => {
            hasEnded = true
          })
          const rejected = awaitedLater(writing)
          while (!hasEnded) {
            expectEqual(await pets.list({ limit: 3 }), [stored], 'the pets beside such a page')
            expectEqual(await pets.find(1n), undefined, 'a pet of such a page')
            expectEqual(await other.countPets(), 1, 'the number of pets beside such a page')
            await new Promise((resolve) => setImmediate(resolve))
          }
          await rejected
        }
      }),
    )
  },
})

/** Opens a database for bulk access twice. */
function withTwo(
  harness: PersistenceHarness,
  url: string,
  work: (bulk: BulkAccess, other: BulkAccess) => Promise<void>,
): Promise<void> {
  return withBulkAccess(harness, url, (bulk) =>
    withBulkAccess(harness, url, (other) => work(bulk, other)),
  )
}
