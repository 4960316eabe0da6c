import assert from 'node:assert/strict'
import { INT64, type Pet } from '@pet-store/domain'
import type { BulkAccess, StoredApiKey } from '@pet-store/persistence'
import { assertTested, casesOf, expectEqual } from '../contract-case.ts'
import { after, aNewApiKey, hashOf, withoutHash } from '../new-api-keys.ts'
import { addKeyed, addPets, aNewPet, listAll, petsByName } from '../new-pets.ts'
import { type OtherProcess, withProcesses } from '../other-process.ts'
import {
  apiKeysOf,
  type HarnessCase,
  type PersistenceHarness,
  withBulkAccess,
  withPersistence,
} from '../persistence-harness.ts'

const KEY = { owner: 'shop', key: 'key', fingerprint: 'Rex', at: after(0) }

const GROUP = { group: 'persistence.bulk', timeLimitMs: 180_000 }

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
      const all = [...written, ...added]
      expectEqual(await bulk((open) => open.readPets({ limit: 9 })), all, 'all pets')
      // As an export opens it.
      const reading = await harness.openBulkAccess?.({ url, mode: 'read' })
      const read = await reading?.readPets({ limit: 9 })
      await reading?.close()
      expectEqual(read, all, 'the pets of bulk access for reading alone')
    }),
  'idempotency-keys: shares idempotency keys between bulk access and the adapter': withBulk(
    async (harness, url, bulk) => {
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
    },
  ),
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
  'replaced-keys: finds no key that bulk access has replaced, by its old hash or old rotation':
    withBulk(async (harness, url, bulk) => {
      const old = aNewApiKey('old')
      const successor = { ...aNewApiKey('successor'), replaces: old.id, overlapUntil: after(10) }
      await bulk((open) => open.writeApiKeys([old, successor]))
      await withPersistence(harness, url, async (opened) => {
        expectEqual((await apiKeysOf(opened).find(old.id))?.replacedBy, successor.id, 'a rotation')
      })
      const otherHash = hashOf('other')
      await bulk((open) =>
        open.writeApiKeys([{ ...old, sha256: otherHash }, aNewApiKey('successor')]),
      )
      await withPersistence(harness, url, async (opened) => {
        const apiKeys = apiKeysOf(opened)
        expectEqual(await apiKeys.findByHash(old.sha256), undefined, 'a key by its old hash')
        for (const found of [await apiKeys.findByHash(otherHash), await apiKeys.find(old.id)])
          expectEqual(found, withoutHash(old), 'a key that is no longer replaced')
        const isReplaced = await apiKeys.replace(old.id, aNewApiKey('third'), after(20))
        expectEqual(isReplaced, true, 'whether it can be replaced')
      })
      await bulk((open) => open.writeApiKeys([{ ...aNewApiKey('fourth'), sha256: old.sha256 }]))
      await withPersistence(harness, url, async (opened) => {
        const found = await apiKeysOf(opened).findByHash(old.sha256)
        expectEqual(found?.id, 'key_fourth', 'the key that has the hash now')
      })
    }),
  'int64: finds and lists pets that bulk access has written under ids over all of int64': withBulk(
    async (harness, url, bulk) => {
      const ids = [INT64.min, -(2n ** 53n) - 1n, -1n, 0n, 1n, 2n ** 53n + 1n, INT64.max]
      const written = ids.map((id) => ({ id, ...aNewPet({ status: 'sold' }) }))
      await bulk((open) => open.writePets(written))
      await withPersistence(harness, url, async ({ pets }) => {
        expectEqual(await listAll(pets), written, 'all pets')
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
      assertTested(
        harness.capabilities?.severalProcesses,
        'the adapter does not declare severalProcesses',
      )
      const url = await harness.emptyDatabase()
      await withPersistence(harness, url, async ({ pets }) => {
        const added: Pet[] = []
        let hasEnded = false
        const adding = [1, 2, 3].map(async (caller) => {
          for (let count = 0; !hasEnded && count < 300; count += 1) {
            const pet = aNewPet({ name: `added ${caller} ${count}` })
            added.push(await (count % 2 === 0 ? pets.add(pet) : addKeyed(pets, pet)))
          }
        })
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
        })
        hasEnded = true
        await Promise.all(adding)
        const stored = await petsByName(pets)
        for (const pet of added) expectEqual(stored.get(pet.name), pet, `the pet ${pet.name}`)
        const missing = names.filter((name) => !stored.has(name))
        expectEqual(missing, [], 'the imported pets that are not stored')
        expectEqual(stored.size, added.length + names.length, 'the number of pets')
      })
    },
  'killed: has the pets of an import and its progress, both or neither, after kill -9':
    withProcesses(async (harness, start) => {
      assertTested(harness.openBulkAccess, 'the adapter has no bulk access')
      const { bulkExportName = 'openBulkAccess' } = harness
      const url = await harness.emptyDatabase()
      const together = harness.capabilities?.severalProcesses ? 3 : 1
      for (let round = 0; round < KILLS / together; round += 1) {
        const ids = Array.from({ length: together }, (_, index) => `${round * together + index}`)
        const outputs = await Promise.all(
          ids.map((id) => importUntilKilled(start(url, IMPORTER, [bulkExportName, id]))),
        )
        await withBulkAccess(harness, url, async (bulk) => {
          const imports = await bulk.readPetImports()
          const lines = imports.reduce((sum, one) => sum + one.lines, 0)
          expectEqual(await bulk.countPets(), lines, 'the number of pets, of which each is a line')
          for (const [index, id] of ids.entries()) {
            const last = imports.find((one) => String(one.id) === id)?.lines ?? 0
            const printed = 5 * (outputs[index] ?? '').length
            assert.ok(last >= printed, `${printed} lines must be stored, got ${last}`)
          }
        })
      }
    }),
})

/** How many processes are killed, each at another moment of a write. */
const KILLS = 12

/** Kills a process at a random moment after its first writes, and returns what it printed. */
async function importUntilKilled({ ended, kill, onOutput }: OtherProcess): Promise<string> {
  let isBegun = false
  onOutput((output) => {
    if (isBegun || output.length < 3) return
    isBegun = true
    setTimeout(kill, Math.random() * 40)
  })
  const { signal, errors, output } = await ended
  expectEqual(
    signal,
    'SIGKILL',
    `the importing process must run until it is killed; it printed: ${errors}`,
  )
  return output
}

/**
 * Adds five pets at a time, with the progress of an import, and prints a point when they are
 * stored.
 */
const IMPORTER = `
  const [bulkExportName, id] = values
  const bulk = await (await import(module))[bulkExportName]({ url, mode: 'migrate' })
  const pets = Array.from({ length: 5 }, () => ({ name: 'Rex', categoryId: 1n }))
  const sha256 = 'f'.repeat(64)
  const common = { id: BigInt(id), sha256, state: 'unfinished', changedAt: new Date(0) }
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
