import assert from 'node:assert/strict'
import { everyBulkCall } from '../adapter/every-bulk-call.ts'
import { besideAnotherProcess } from '../adapter/other-process/beside-another-process.ts'
import { apiKeysOf, openBulkAccessOf, withBulkAccess } from '../adapter/with-persistence.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { causedBy, expectEqual } from '../case/expectations.ts'
import { wait } from '../case/wait.ts'
import { memberOf } from '../harness/harness-members.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { aNewApiKey } from '../test-data/new-api-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { after } from '../test-data/times.ts'

const GROUP = { group: 'persistence.bulk', timeLimitMs: 180_000 }

/** Changes go on until the import has ended, so that some come while a page is being written. */
const MAX_CHANGES = 2_000
const PAUSE_MS = 4
const PAGES = 8
const PETS_PER_PAGE = 3_000
/** More than the ids that the import and other calls use between two calls of bulk access. */
const ID_STEP = 1_000_000n
const STORES_A_PET: readonly string[] = ['bulk.writePets', 'bulk.addPets']

/** While one process imports pets, another one goes on. */
export const keysBesideImportsCases: readonly HarnessCase[] = casesOf(GROUP, {
  'beside-keys: changes API keys, and calls all of bulk access, while another process imports pets':
    async (harness) => {
      openBulkAccessOf(harness)
      memberOf(harness, 'module')
      const { bulkExportName = 'openBulkAccess' } = harness
      const besideImport = besideAnotherProcess((opened, together, url) =>
        withBulkAccess(harness, url, async (bulk) => {
          const apiKeys = apiKeysOf(opened)
          await bulk.writePets([{ id: 1n, ...aNewPet() }])
          await bulk.movePetIdsPast(1n)
          let written = 1
          // At the same time, so that none of them is called right after another one has waited.
          const callBulk = async (count: number) => {
            const calls = everyBulkCall(bulk, BigInt(count) * ID_STEP)
            const results = await Promise.allSettled(calls.map(({ run }) => run()))
            for (const [index, result] of results.entries()) {
              const name = calls[index]?.name ?? ''
              if (result.status === 'fulfilled') written += STORES_A_PET.includes(name) ? 1 : 0
              else causedBy(result.reason, () => assert.fail(`${name} must wait for an import`))
            }
          }
          const callUntil = async (hasEnded: () => boolean) => {
            for (let count = 1; !hasEnded() && count < MAX_CHANGES; count += 1) {
              await callBulk(count)
              await wait(PAUSE_MS)
            }
          }
          const [changed] = await together(importing(bulkExportName), async (hasEnded) => {
            const calling = awaitedLater(callUntil(hasEnded))
            const ids: string[] = []
            while (!hasEnded() && ids.length < MAX_CHANGES) {
              const key = aNewApiKey(`${ids.length}`)
              await apiKeys.add(key)
              await apiKeys.markUsed([{ id: key.id, at: after(3) }])
              await apiKeys.revoke(key.id, after(5), 'Ada')
              ids.push(key.id)
              await wait(PAUSE_MS)
            }
            await calling
            return ids
          })
          const all = (await apiKeys.list()).map(({ id, lastUsedAt, revokedAt, revokedBy }) => {
            return { id, lastUsedAt, revokedAt, revokedBy }
          })
          const stored = all.filter(({ id }) => changed.includes(id))
          const changes = { lastUsedAt: after(3), revokedAt: after(5), revokedBy: 'Ada' }
          const expected = changed.map((id) => ({ id, ...changes }))
          const byId = (list: typeof stored) => new Map(list.map((one) => [one.id, one]))
          expectEqual(
            byId(stored),
            byId(expected),
            'the API keys that were changed beside an import',
          )
          expectEqual(
            await bulk.countPets(),
            PAGES * PETS_PER_PAGE + written,
            'the number of pets that were imported, and written beside',
          )
        }),
      )
      await besideImport(harness)
    },
})

const importing = (bulkExportName: string) => `
  const bulk = await (await import(module)).${bulkExportName}({ url })
  const page = Array.from({ length: ${PETS_PER_PAGE} }, () => ({ name: 'Rex', categoryId: 1n }))
  for (let count = 0; count < ${PAGES}; count += 1) {
    await bulk.addPets(page)
    await new Promise((resolve) => setTimeout(resolve, ${PAUSE_MS}))
  }
  print('done')
  await bulk.close()
  await opened.close()`
