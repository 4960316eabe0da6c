import type { Persistence } from '@pet-store/persistence'
import { awaitedLater } from '../../case/awaited-later.ts'
import type { HarnessCase } from '../../harness/persistence-harness.ts'
import { assertSeveralProcesses } from '../../harness/several-processes.ts'
import { withPersistence } from '../with-persistence.ts'
import { linesOf, withProcesses } from './other-process.ts'

/**
 * Does work in this process while another one runs a script, and tells it whether that has ended.
 * Returns what both have found.
 */
type Together = <Ours>(
  script: string,
  work: (hasEnded: () => boolean) => Promise<Ours>,
) => Promise<readonly [ours: Ours, theirs: string]>

/**
 * Opens an empty database, for a case that uses it in another process too. Both begin when the
 * other one is ready.
 */
export function besideAnotherProcess(
  run: (opened: Persistence, together: Together, url: string) => Promise<void>,
): HarnessCase['run'] {
  return withProcesses(async (harness, start) => {
    assertSeveralProcesses(harness)
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    await withPersistence(harness, url, (opened) => {
      const together: Together = async (script, work) => {
        let working: ReturnType<typeof work> | undefined
        let hasEnded = false
        const other = start(url, OPENED + script)
        void other.ended.finally(() => (hasEnded = true))
        other.onLines(() => {
          if (working !== undefined) return
          other.go()
          working = awaitedLater(work(() => hasEnded))
        })
        const theirs = (await linesOf(other))[1] ?? ''
        return [await (working as ReturnType<typeof work>), theirs]
      }
      return run(opened, together, url)
    })
  })
}

const OPENED = `
  const opened = await open({ url, mode: 'migrate' })
  print('ready')
  await go()`
