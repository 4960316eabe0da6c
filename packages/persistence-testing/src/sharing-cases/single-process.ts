import type { Pet } from '@pet-store/domain'
import { linesOf, withProcesses } from '../adapter/other-process/other-process.ts'
import { withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { assertTested } from '../case/not-tested.ts'
import type { HarnessCase, PersistenceHarness } from '../harness/persistence-harness.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { listAll } from '../test-data/stored-pets.ts'

const GROUP = { group: 'persistence.shared', timeLimitMs: 120_000 }

/** An adapter that allows one process at a time rejects a second opening. */
export const singleProcessCases: readonly HarnessCase[] = casesOf(GROUP, {
  'single: rejects a second opening, and keeps serving the first one': async (harness) => {
    assertTested(harness.capabilities, 'the adapter declares no capabilities')
    assertTested(!harness.capabilities.severalProcesses, 'several processes may open one database')
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    // A module is needed only for this.
    const fromProcess = withProcesses(async (_, start) => {
      const [opened] = await linesOf(start(url, SECOND_OPENING))
      expectEqual(opened, 'rejected', 'the opening in another process')
    })
    await withPersistence(harness, url, async ({ pets }) => {
      const before = await pets.add(aNewPet())
      await expectRejection(
        async () => (await harness.open({ url, mode: 'migrate' })).close(),
        'opening must reject while the database is open, ' +
          'as the adapter declares severalProcesses: false',
      )
      await expectReaderHarmless(harness, url, before)
      if (harness.module !== undefined) await fromProcess(harness)
      const added = await pets.add(aNewPet())
      expectEqual(await listAll(pets), [before, added], 'the pets of the first opening')
    })
  },
})

/** An opening for reading alone is rejected too, or reads and leaves the other one alone. */
async function expectReaderHarmless(
  harness: PersistenceHarness,
  url: string,
  stored: Pet,
): Promise<void> {
  const reader = await harness.open({ url, mode: 'read' }).catch(() => undefined)
  if (reader === undefined) return
  try {
    expectEqual(await listAll(reader.pets), [stored], 'the pets of an opening for reading alone')
  } finally {
    await reader.close()
  }
  await expectRejection(
    async () => (await harness.open({ url, mode: 'migrate' })).close(),
    'opening must still reject after an opening for reading alone was closed',
  )
}

const SECOND_OPENING = `
  const opened = await open({ url, mode: 'migrate' }).catch(() => undefined)
  print(opened ? 'opened' : 'rejected')
  await opened?.close()`
