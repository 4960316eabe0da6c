import { writeSync } from 'node:fs'
import type { Reporter, TestModule, TestSuite, Vitest } from 'vitest/node'

/**
 * Ends a test run with one plain line, `N passed, N failed`, for machines that read only that.
 *
 * A file that does not load, a hook that throws, an error outside of every test, and a run without
 * any test count as failed. So does a test that is skipped without a reason (`context.skip('…')`),
 * by `skip`, `todo` or the `only` of another test.
 */
export class ClosingLineReporter implements Reporter {
  #filtersByName: () => boolean = () => false
  #line = closingLine({ passed: 0, failed: 1, skipped: 0 })

  onInit(vitest: Vitest): void {
    this.#filtersByName = () => vitest.config.testNamePattern !== undefined
    // After every other reporter; a run that ends early prints the line as it is above.
    if (!vitest.config.watch) process.once('exit', () => writeSync(1, `${this.#line}\n`))
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly unknown[],
    reason: string,
  ): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    const withoutReason: string[] = []

    for (const module of modules) {
      const broken = brokenParts(module)
      counts.failed += broken
      for (const test of module.children.allTests()) {
        const result = test.result()
        if (result.state === 'passed') counts.passed += 1
        else if (result.state !== 'skipped') counts.failed += 1
        else if (result.note !== undefined || broken > 0 || this.#filtersByName())
          counts.skipped += 1
        else withoutReason.push(`${module.relativeModuleId}: ${test.fullName}`)
      }
    }

    counts.failed += withoutReason.length
    if (counts.failed === 0 && (counts.passed === 0 || reason !== 'passed')) counts.failed = 1
    if (counts.failed > 0) process.exitCode ||= 1
    if (withoutReason.length > 0)
      console.error(
        `Skipped without a reason, which counts as failed:\n  ${withoutReason.join('\n  ')}\n`,
      )
    this.#line = closingLine(counts)
  }
}

function brokenParts(module: TestModule): number {
  const parts: (TestModule | TestSuite)[] = [module, ...module.children.allSuites()]
  return parts.filter((part) => part.errors().length > 0).length
}

function closingLine({
  passed,
  failed,
  skipped,
}: {
  passed: number
  failed: number
  skipped: number
}): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
