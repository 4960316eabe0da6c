import assert from 'node:assert/strict'
import type { BulkAccess, StoredApiKey } from '@pet-store/persistence'
import { assertShown, casesOf, expectEqual } from '../contract-case.ts'
import { after, aNewApiKey, withoutHash } from '../new-api-keys.ts'
import { addPets, aNewPet, listAll } from '../new-pets.ts'
import { withProcesses } from '../other-process.ts'
import {
  apiKeysOf,
  type HarnessCase,
  type PersistenceHarness,
  withBulkAccess,
  withPersistence,
} from '../persistence-harness.ts'

const KEY = { owner: 'shop', key: 'key', fingerprint: 'Rex', at: after(0) }

const GROUP = { group: 'persistence.bulk', timeLimitMs: 60_000 }

/** What bulk access writes, an open adapter has, and the other way round. */
export const bulkCases: readonly HarnessCase[] = casesOf(GROUP, {
  'pets: has the pets that bulk access has written, also beside 2^53, and gives greater ids':
    withBulk(async (harness, url, bulk) => {
      const ids = [7n, ...[-1n, 0n, 1n, 2n].map((offset) => 2n ** 53n + offset)]
      const written = ids.map((id) => ({ id, ...aNewPet({ status: 'sold' }) }))
      await bulk(async (open) => {
        await open.writePets(written)
        await open.movePetIdsPast(2n ** 53n + 2n)
      })
      const added = await withPersistence(harness, url, async ({ pets }) => {
        expectEqual(await listAll(pets), written, 'the pets that bulk access has written')
        expectEqual(
          await pets.list({ status: 'sold', limit: 9 }),
          written,
          'those pets by their status',
        )
        for (const [index, pet] of written.entries()) {
          expectEqual(await pets.find(pet.id), pet, `the pet with the id ${pet.id}`)
          const rest = await pets.list({ after: pet.id, limit: 9 })
          expectEqual(rest, written.slice(index + 1), `the pets after the id ${pet.id}`)
        }
        return addPets(pets, 1)
      })
      assert.ok(
        (added[0]?.id ?? 0n) > 2n ** 53n + 2n,
        `the next id must be greater, got ${added[0]?.id}`,
      )
      expectEqual(
        await bulk((open) => open.readPets({ limit: 9 })),
        [...written, ...added],
        'all pets',
      )
    }),
  'idempotency-keys: knows the idempotency keys that bulk access has written, and bulk access those of the adapter':
    withBulk(async (harness, url, bulk) => {
      const pet = { id: 7n, ...aNewPet() }
      await bulk(async (open) => {
        await open.writePets([pet])
        await open.writeIdempotencyKeys([{ ...KEY, petId: 7n }])
        await open.movePetIdsPast(7n)
      })
      const created = await withPersistence(harness, url, async ({ pets }) => {
        const repeat = await pets.addWithKey(aNewPet(), KEY)
        expectEqual(
          repeat,
          { pet, isReplay: true },
          'a repeat with a key that bulk access has written',
        )
        return pets.addWithKey(aNewPet(), { ...KEY, key: 'other' })
      })
      const keys = [
        { ...KEY, petId: 7n },
        { ...KEY, key: 'other', petId: created.pet.id },
      ]
      expectEqual(await bulk((open) => open.readIdempotencyKeys(9)), keys, 'all idempotency keys')
    }),
  'api-keys: knows the API keys that bulk access has written, and bulk access those of the adapter':
    withBulk(async (harness, url, bulk) => {
      const old = aNewApiKey('old', { createdBy: 'Ada' })
      const successor: StoredApiKey = {
        ...aNewApiKey('successor'),
        replaces: old.id,
        overlapUntil: after(10),
      }
      await bulk((open) => open.writeApiKeys([old, successor]))
      await withPersistence(harness, url, async (opened) => {
        const apiKeys = apiKeysOf(opened)
        const ending = { ...withoutHash(old), expiresAt: after(10), replacedBy: successor.id }
        expectEqual(
          await apiKeys.findByHash(old.sha256),
          ending,
          'a replaced key that bulk access has written',
        )
        await apiKeys.replace(successor.id, aNewApiKey('third'), after(20))
        await apiKeys.revoke('key_third', after(5), 'Bob')
      })
      const third = { ...aNewApiKey('third'), replaces: successor.id, overlapUntil: after(20) }
      const expected = [old, successor, { ...third, revokedAt: after(5), revokedBy: 'Bob' }]
      expectEqual(await bulk((open) => open.readApiKeys()), expected, 'all API keys')
    }),
  'killed: has the pets of an import and its progress, both or neither, after kill -9 of the process that imports':
    withProcesses(async (harness, start) => {
      assertShown(harness.openBulkAccess, 'the adapter has no bulk access')
      const { bulkExportName = 'openBulkAccess' } = harness
      const url = await harness.emptyDatabase()
      for (const id of ['1', '2', '3']) {
        const { ended } = start(url, IMPORTER, [bulkExportName, id], (output, { kill }) => {
          if (output.length > 20) kill()
        })
        const { signal, errors, output } = await ended
        expectEqual(
          signal,
          'SIGKILL',
          `the importing process must run until it is killed; it printed: ${errors}`,
        )
        await withBulkAccess(harness, url, async (bulk) => {
          const imports = await bulk.readPetImports()
          const lines = imports.reduce((sum, one) => sum + one.lines, 0)
          expectEqual(await bulk.countPets(), lines, 'the number of pets, of which each is a line')
          const last = imports.find((one) => String(one.id) === id)?.lines ?? 0
          assert.ok(
            last >= 5 * output.length,
            `${5 * output.length} lines must be stored, got ${last}`,
          )
        })
      }
    }),
})

/**
 * Adds five pets at a time, with the progress of an import, and prints a point when they are
 * stored.
 */
const IMPORTER = `
  const [bulkExportName, id] = values
  const bulk = await (await import(module))[bulkExportName]({ url, mode: 'migrate' })
  const pets = Array.from({ length: 5 }, () => ({ name: 'Rex', categoryId: 1n }))
  const common = { id: BigInt(id), sha256: 'f'.repeat(64), state: 'unfinished', changedAt: new Date(0) }
  let from
  for (let lines = 5; ; lines += 5) {
    const to = { ...common, lines }
    await bulk.addPets(pets, { to, ...(from && { from }) })
    from = to
    process.stdout.write('.')
  }`

/**
 * Makes a database, and opens and closes it for bulk access around each work: an adapter may allow
 * one opening at a time.
 */
function withBulk(
  work: (
    harness: PersistenceHarness,
    url: string,
    bulk: <Result>(use: (bulk: BulkAccess) => Promise<Result>) => Promise<Result>,
  ) => Promise<void>,
): HarnessCase['run'] {
  return async (harness) => {
    const url = await harness.emptyDatabase()
    await work(harness, url, (use) => withBulkAccess(harness, url, use))
  }
}
