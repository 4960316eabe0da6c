import { run } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { CheckedGuarantee } from './adapter-report.ts'
import type { CaseToRun } from './processes/watched-process.ts'
import type { RunnerEvent } from './reporters.ts'
import { idOf } from './test-name.ts'

type Result = Pick<CheckedGuarantee, 'result' | 'reason' | 'durationMs'>

/** A case that another process runs. */
interface TestedCase {
  readonly id: string
  readonly name: string
  /** Resolves when it has ended there. */
  readonly ended: Promise<Result>
}

/** The tests of cases. */
export interface TestRun {
  /** Ends the test of a case; the first one begins the run. */
  onResult(guarantee: CheckedGuarantee): void
  /** Fails the tests of the cases that were not checked, and resolves after the last event. */
  end(whyNotChecked?: string): Promise<void>
}

/** Beside this file as source, in a folder of its own once it is built. */
const CASES = import.meta.url.endsWith('.ts') ? './cases-as-tests.ts' : './check/cases-as-tests.js'

let tested: readonly TestedCase[] = []

/** The cases that cases-as-tests.ts makes tests of. */
export function testedCases(): readonly TestedCase[] {
  return tested
}

/**
 * Runs cases as tests of Node's own runner, once in a process: each test waits until its case has
 * ended in another one. `report` gets every event of the runner.
 */
export function createTestRun(
  cases: readonly CaseToRun[],
  report: (event: RunnerEvent) => void,
): TestRun {
  const ends = new Map<string, (result: Result) => void>()
  const durations = new Map<string, number>()
  tested = cases.map(({ id, name }) => ({
    id,
    name,
    ended: new Promise((resolve) => ends.set(id, resolve)),
  }))
  let running: Promise<void> | undefined

  async function runTests(): Promise<void> {
    const file = fileURLToPath(new URL(CASES, import.meta.url))
    for await (const event of run({ files: [file], isolation: 'none', concurrency: false })) {
      if (
        event.type === 'test:complete' ||
        event.type === 'test:pass' ||
        event.type === 'test:fail'
      )
        // The runner has measured how long the test has waited.
        event.data.details.duration_ms = durations.get(idOf(event.data.name) ?? '') ?? 0
      report(event)
    }
  }

  return {
    onResult(guarantee) {
      running ??= runTests()
      durations.set(guarantee.id, guarantee.durationMs)
      ends.get(guarantee.id)?.(guarantee)
    },
    async end(whyNotChecked = 'unknown') {
      if (running === undefined) return
      const reason = `It was not checked: ${whyNotChecked}.`
      for (const end of ends.values()) end({ result: 'failed', reason, durationMs: 0 })
      await running
    },
  }
}
