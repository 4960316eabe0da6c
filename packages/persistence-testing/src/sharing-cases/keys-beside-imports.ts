import { besideAnotherProcess } from '../adapter/other-process.ts'
import { apiKeysOf, openBulkAccessOf } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { wait } from '../case/wait.ts'
import { aNewApiKey } from '../new-api-keys.ts'
import { type HarnessCase, memberOf } from '../persistence-harness.ts'
import { after } from '../times.ts'

const GROUP = { group: 'persistence.bulk', timeLimitMs: 180_000 }

/** Changes go on until the import has ended, so that some come while a page is being written. */
const MAX_CHANGES = 2_000
const PAUSE_MS = 4
const PAGES = 8
const PETS_PER_PAGE = 3_000

/** While one process imports pets, another one goes on. */
export const keysBesideImportsCases: readonly HarnessCase[] = casesOf(GROUP, {
  'beside-keys: changes API keys while another process imports pets': async (harness) => {
    openBulkAccessOf(harness)
    memberOf(harness, 'module')
    const { bulkExportName = 'openBulkAccess' } = harness
    const besideImport = besideAnotherProcess(async (opened, together) => {
      const apiKeys = apiKeysOf(opened)
      const [changed, count] = await together(importing(bulkExportName), async (hasEnded) => {
        const ids: string[] = []
        while (!hasEnded() && ids.length < MAX_CHANGES) {
          const key = aNewApiKey(`${ids.length}`)
          await apiKeys.add(key)
          await apiKeys.markUsed([{ id: key.id, at: after(3) }])
          await apiKeys.revoke(key.id, after(5), 'Ada')
          ids.push(key.id)
          await wait(PAUSE_MS)
        }
        return ids
      })
      const stored = (await apiKeys.list()).map(({ id, lastUsedAt, revokedAt, revokedBy }) => {
        return { id, lastUsedAt, revokedAt, revokedBy }
      })
      const changes = { lastUsedAt: after(3), revokedAt: after(5), revokedBy: 'Ada' }
      const expected = changed.map((id) => ({ id, ...changes }))
      const byId = (list: typeof stored) => new Map(list.map((one) => [one.id, one]))
      expectEqual(byId(stored), byId(expected), 'the API keys that were changed beside an import')
      expectEqual(Number(count), PAGES * PETS_PER_PAGE, 'the number of pets that were imported')
    })
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
  print(String(await bulk.countPets()))
  await bulk.close()
  await opened.close()`
