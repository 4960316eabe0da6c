import assert from 'node:assert/strict'
import type { Pet } from '@pet-store/domain'
import { readEverything } from '../bulk-cases/items.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { assertTested } from '../case/not-tested.ts'
import { addKeyed, aNewPet } from '../new-pets.ts'
import type { HarnessCase } from '../persistence-harness.ts'
import { petsByName } from '../stored-pets.ts'
import { withBulkAccess, withPersistence } from '../with-persistence.ts'
import { type OtherProcess, untilKilled, withProcesses } from './other-process.ts'

const GROUP = { group: 'persistence.bulk', timeLimitMs: 180_000 }

/** Bulk access stores everything, whatever happens beside it, and what it is killed in. */
export const bulkKillingCases: readonly HarnessCase[] = casesOf(GROUP, {
  'beside: stores every pet of an import beside an adapter that adds pets, under its own id':
    async (harness) => {
      assertTested(
        harness.capabilities?.severalProcesses,
        'the adapter does not declare severalProcesses',
      )
      const url = await harness.emptyDatabase()
      await withPersistence(harness, url, async ({ pets }) => {
        const added: Pet[] = []
        await withBulkAccess(harness, url, async (bulk) => {
          for (let round = 0; round < 3; round += 1) {
            const before = [await bulk.countPets(), await bulk.readPets({ limit: 99 })]
            expectEqual(before, [added.length, added], 'the number of pets, and the pets')
            const pet = await pets.add(aNewPet({ name: `fresh ${round}` }))
            added.push(pet)
            expectEqual(await bulk.lastPetId(), pet.id, 'the last id, which an adapter has given')
          }
        })
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
  'killed-at-once: has what bulk access has written, even if killed as soon as it has resolved':
    withProcesses(async (harness, start) => {
      assertTested(harness.openBulkAccess, 'the adapter has no bulk access')
      const { bulkExportName = 'openBulkAccess' } = harness
      const url = await harness.emptyDatabase()
      const together = harness.capabilities?.severalProcesses ? KILLED_AFTER.length - 1 : 1
      const run = (call: string) => untilKilled(start(url, writer(call), [bulkExportName]))
      const [first, ...others] = KILLED_AFTER as [string, ...string[]]
      await run(first)
      while (others.length > 0) await Promise.all(others.splice(0, together).map(run))
      await withBulkAccess(harness, url, async (bulk) => {
        const [pets, , lastId, imports, keys, apiKeys] = await readEverything(bulk)
        const counts = [pets, imports, keys, apiKeys].map((items) => (items as unknown[]).length)
        expectEqual([...counts, lastId], [1, 1, 1, 1, 99n], 'what was written before each kill')
      })
    }),
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
            assert.ok(
              last >= printed,
              `${printed} lines were acknowledged before the kill, but only ${last} are stored`,
            )
          }
        })
      }
    }),
})

/** The first one before the others, which refer to its pet. */
const KILLED_AFTER = [
  `writePets([{ id: 7n, name: 'Rex', categoryId: 1n }])`,
  `writePetImports([{ id: 1n, sha256: hash, state: 'finished', lines: 1, changedAt: at }])`,
  `writeIdempotencyKeys([{ owner: 'o', key: 'k', fingerprint: 'Rex', at, petId: 7n }])`,
  `writeApiKeys([{ id: 'k', sha256: hash, name: 'kiosk', scopes: [], createdAt: at }])`,
  'movePetIdsPast(99n)',
]

/** A script that kills its process before anything can happen in it after this call. */
const writer = (call: string) => `
  const bulk = await (await import(module))[values[0]]({ url, mode: 'migrate' })
  const at = new Date(0)
  const hash = 'f'.repeat(64)
  await bulk.${call}.then(() => process.kill(process.pid, 'SIGKILL'))`

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
  return untilKilled({ ended })
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
