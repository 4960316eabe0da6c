import { withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { assertTested } from '../case/not-tested.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'

const GROUP = { group: 'persistence.declared', timeLimitMs: 60_000 }

/** What an adapter declares is so. */
export const declaringCases: readonly HarnessCase[] = casesOf(GROUP, {
  'capabilities: has exactly what it declares: shared limits, bulk access, several openings':
    async (harness) => {
      const { capabilities, openBulkAccess } = harness
      assertTested(capabilities, 'the adapter declares no capabilities')
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      await withPersistence(harness, url, async (persistence) => {
        const { createRateLimiter } = persistence
        await persistence.check()
        expectEqual(
          createRateLimiter !== undefined,
          capabilities.sharedLimits,
          'whether there is createRateLimiter, as sharedLimits declares',
        )
        expectEqual(
          openBulkAccess !== undefined,
          capabilities.bulkAccess,
          'whether there is openBulkAccess, as bulkAccess declares',
        )
        const opened = await harness.open({ url, mode: 'migrate' }).catch(() => undefined)
        await opened?.close()
        expectEqual(
          opened !== undefined,
          capabilities.severalProcesses,
          'whether it can be opened twice, as severalProcesses declares',
        )
      })
    },
})
