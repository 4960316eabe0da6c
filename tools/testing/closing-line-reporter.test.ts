import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'vitest'
import { ROOT } from '../root.ts'

const PASSES = `it('passes', () => {})`
const LATE_ERROR = `setTimeout(() => { throw new Error('no') })
  await new Promise((r) => setTimeout(r, 50))`

/**
 * What a run of these files prints last, and its exit code. Each file is counted by itself, so a
 * sum shows each of them.
 */
it.concurrent.for<readonly [string, readonly string[], string]>([
  [
    'skips with a reason',
    [`${PASSES}; it('b', (c) => c.skip('needs a printer'))`],
    '1 passed, 0 failed, 1 skipped',
  ],
  ['a run without tests as failed', [], '0 passed, 1 failed'],
  [
    'as failed a failed test, a file that does not load, a broken hook, an error outside of ' +
      'every test, and four skips without a reason',
    [
      `${PASSES}; it('b', () => { throw new Error('no') })`,
      `throw new Error('no')`,
      `${PASSES}; afterAll(() => { throw new Error('no') })`,
      `it('a', async () => { ${LATE_ERROR} })`,
      `${PASSES}; it['skip']('b', () => {}); it['todo']('c'); describe('d', () => { it('e', ` +
        `() => {}); it['only']('f', () => {}) })`,
    ],
    '4 passed, 8 failed',
  ],
])('the closing line counts %s', async ([, files, line], { expect, onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'closing-line-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const [index, body] of files.entries()) {
    writeFileSync(
      join(folder, `${index}.spec.ts`),
      `import { afterAll, describe, it } from 'vitest'\n${body}\n`,
    )
  }
  const reporter = join(import.meta.dirname, 'closing-line-reporter.ts')
  const config = `import { ClosingLineReporter } from '${reporter}'
    export default { test: { allowOnly: true, reporters: ['default', new ClosingLineReporter()] } }`
  writeFileSync(join(folder, 'vitest.config.ts'), config)
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const result = await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [vitest, 'run', '--root', folder],
      (_error, stdout) => {
        resolve({ line: stdout.trimEnd().split('\n').at(-1), code: child.exitCode })
      },
    )
  })
  expect(result).toEqual({ line, code: line.includes(' 0 failed') ? 0 : 1 })
})
