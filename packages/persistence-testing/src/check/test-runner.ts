import { run } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { CasesToRun, ProcessEvent } from './process-messages.ts'

/** Beside this file as source, in a folder of its own once it is built. */
const CASES = import.meta.url.endsWith('.ts') ? './cases-as-tests.ts' : './check/cases-as-tests.js'

const LAST_EVENTS_MS = 50
const ALIVE_MS = 1_000

/**
 * Runs cases-as-tests.ts with Node's own test runner, in this process, and sends every event of the
 * runner to the process that has started this one. Ends the process, whatever the adapter has left
 * running.
 */
export async function runCases(): Promise<never> {
  const { ids } = JSON.parse(process.argv.at(-1) ?? '') as CasesToRun
  await tell({ type: 'begun' } satisfies ProcessEvent)
  setInterval(() => void tell({ type: 'alive' } satisfies ProcessEvent), ALIVE_MS).unref()
  let results = 0
  // What started this process was ended: nobody waits for the results. This closes the harness.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  // The runner ends when nothing is left that could go on.
  process.channel?.unref()
  const file = fileURLToPath(new URL(CASES, import.meta.url))
  for await (const event of run({ files: [file], isolation: 'none', concurrency: false })) {
    await tell(event)
    if (event.type === 'test:pass' || event.type === 'test:fail') results += 1
    // An adapter may have left something running. What it does in this turn is still reported.
    if (results === ids.length) setTimeout(() => process.exit(0), LAST_EVENTS_MS)
  }
  process.exit(0)
}

/** Resolves when the event was handed over: a case that loops for ever comes after it. */
function tell(event: unknown): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve()
    else process.send(event, () => resolve())
  })
}
