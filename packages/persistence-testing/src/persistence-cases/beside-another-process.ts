import type { Persistence } from '@pet-store/persistence'
import { assertTested } from '../contract-case.ts'
import { outputOf, withProcesses } from '../other-process.ts'
import {
  type HarnessCase,
  type PersistenceHarness,
  withPersistence,
} from '../persistence-harness.ts'

/** Does a work in this process while another one runs a script; returns what both have found. */
type Together = <Ours>(
  script: string,
  work: () => Promise<Ours>,
) => Promise<readonly [ours: Ours, theirs: string]>

/**
 * Opens an empty database, for a case that uses it in another process too. Both begin when the
 * other one is ready.
 */
export function besideAnotherProcess(
  run: (opened: Persistence, together: Together) => Promise<void>,
): HarnessCase['run'] {
  return withProcesses(async (harness, start) => {
    assertSeveralProcesses(harness)
    const url = await harness.emptyDatabase()
    await withPersistence(harness, url, (opened) =>
      run(opened, async (script, work) => {
        let working: ReturnType<typeof work> | undefined
        const other = start(url, OPENED + script, [], (output, { go }) => {
          if (working !== undefined || !output.includes('ready')) return
          go()
          working = work()
          // It rejects below, unless the other process did first.
          working.catch(() => undefined)
        })
        const theirs = (await outputOf(other)).split('\n')[1] ?? ''
        return [await (working as ReturnType<typeof work>), theirs]
      }),
    )
  })
}

const OPENED = `
  const opened = await open({ url, mode: 'migrate' })
  console.log('ready')
  await go()`

export function assertSeveralProcesses({ capabilities }: PersistenceHarness): void {
  assertTested(capabilities?.severalProcesses, 'the adapter does not declare severalProcesses')
}
