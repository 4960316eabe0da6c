import assert from 'node:assert/strict'
import {
  killedAfter,
  untilKilled,
  untilKilledOnce,
} from '../adapter/other-process/killed-process.ts'
import { withProcesses } from '../adapter/other-process/other-process.ts'
import { openBulkAccessOf, withBulkAccess } from '../adapter/with-persistence.ts'
import { readEverything } from '../bulk-cases/items.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import type { HarnessCase, PersistenceHarness } from '../harness/persistence-harness.ts'
import { maxOpenings } from '../harness/several-processes.ts'

const GROUP = { group: 'persistence.bulk', timeLimitMs: 180_000 }

/** A process that is killed loses nothing that bulk access has written. */
export const killedInBulkCases: readonly HarnessCase[] = casesOf(GROUP, {
  'killed-at-once: has what bulk access has written, even if killed as soon as it has resolved':
    withProcesses(async (harness, start) => {
      const bulkExportName = bulkExportNameOf(harness)
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      const together = maxOpenings(harness, KILLED_AFTER.length - 1)
      const run = (call: string) =>
        untilKilled(start(url, killedAfter(SET_UP, `bulk.${call}`), [bulkExportName]))
      const [first, ...others] = KILLED_AFTER as [string, ...string[]]
      await run(first)
      while (others.length > 0) await Promise.all(others.splice(0, together).map(run))
      await withBulkAccess(harness, url, async (bulk) => {
        const [pets, , lastId, imports, keys, apiKeys] = await readEverything(bulk)
        const counts = [pets, imports, keys, apiKeys].map((items) => (items as unknown[]).length)
        expectEqual(
          [...counts, lastId],
          [1, 1, 1, 1, 99n],
          'how many pets, imports, idempotency keys and API keys are stored, and lastPetId',
        )
      })
    }),
  'killed: has the pets of an import and its progress, both or neither, after kill -9':
    withProcesses(async (harness, start) => {
      const bulkExportName = bulkExportNameOf(harness)
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      const together = maxOpenings(harness, 3)
      for (let round = 0; round < KILLS / together; round += 1) {
        const ids = Array.from({ length: together }, (_, index) => `${round * together + index}`)
        const outputs = await Promise.all(
          ids.map((id) => {
            const importer = start(url, IMPORTER, [bulkExportName, id])
            return untilKilledOnce(importer, 3, 40)
          }),
        )
        await withBulkAccess(harness, url, async (bulk) => {
          const imports = await bulk.readPetImports()
          const lines = imports.reduce((sum, one) => sum + one.lines, 0)
          expectEqual(await bulk.countPets(), lines, 'the number of pets, of which each is a line')
          for (const [index, id] of ids.entries()) {
            const last = imports.find((one) => String(one.id) === id)?.lines ?? 0
            const printed = 5 * (outputs[index] ?? []).length
            assert.ok(
              last >= printed,
              `${printed} lines were acknowledged before the kill, but only ${last} are stored`,
            )
          }
        })
      }
    }),
})

/** Under which name another process finds bulk access. */
function bulkExportNameOf(harness: PersistenceHarness): string {
  openBulkAccessOf(harness)
  return harness.bulkExportName ?? 'openBulkAccess'
}

/** The first one before the others, which refer to its pet. */
const KILLED_AFTER = [
  `writePets([{ id: 7n, name: 'Rex', categoryId: 1n }])`,
  `writePetImports([{ id: 1n, sha256: hash, state: 'finished', lines: 1, changedAt: at }])`,
  `writeIdempotencyKeys([{ owner: 'o', key: 'k', fingerprint: 'Rex', at, petId: 7n }])`,
  `writeApiKeys([{ id: 'k', sha256: hash, name: 'kiosk', scopes: [], createdAt: at }])`,
  'movePetIdsPast(99n)',
]

/** What the calls after which a process is killed use. */
const SET_UP = `
  const bulk = await (await import(module))[values[0]]({ url, mode: 'migrate' })
  const at = new Date(0)
  const hash = 'f'.repeat(64)`

/** How many processes are killed, each at another moment of a write. */
const KILLS = 12

/**
 * Adds five pets at a time, with the progress of an import, and prints a line when they are
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
    print('added')
  }`
