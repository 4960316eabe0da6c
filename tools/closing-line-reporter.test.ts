import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const PASSES = `it('a', () => {})`

it.concurrent.for<readonly [string, string | undefined, string]>([
  ['passed tests', `${PASSES}; it('b', () => {})`, '2 passed, 0 failed'],
  ['failed tests', `${PASSES}; it('b', () => { throw new Error('no') })`, '1 passed, 1 failed'],
  ['skips with a reason', `${PASSES}; it('b', (c) => c.skip('needs a printer'))`, '1 passed, 0 failed, 1 skipped'],
  [
    'skips without a reason, todos and tests hidden by an only as failed',
    `${PASSES}; it['skip']('b', () => {}); it['todo']('c'); describe('d', () => { it('e', () => {}); it['only']('f', () => {}) })`,
    '1 passed, 4 failed',
  ],
  ['a file that does not load as failed', `throw new Error('no')`, '0 passed, 1 failed'],
  ['a broken hook as failed', `${PASSES}; afterAll(() => { throw new Error('no') })`, '1 passed, 1 failed'],
  [
    'an error outside of every test as failed',
    `it('a', async () => { setTimeout(() => { throw new Error('no') }); await new Promise((r) => setTimeout(r, 50)) })`,
    '1 passed, 1 failed',
  ],
  ['a run without tests as failed', undefined, '0 passed, 1 failed'],
])('the closing line counts %s', async ([, body, line], { expect, onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'closing-line-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  if (body !== undefined) {
    writeFileSync(join(folder, 'one.spec.ts'), `import { afterAll, describe, it } from 'vitest'\n${body}\n`)
  }
  const config = `import { ClosingLineReporter } from '${join(import.meta.dirname, 'closing-line-reporter.ts')}'
    export default { test: { allowOnly: true, reporters: ['default', new ClosingLineReporter()] } }`
  writeFileSync(join(folder, 'vitest.config.ts'), config)
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const result = await new Promise((resolve) => {
    const child = execFile(process.execPath, [vitest, 'run', '--root', folder], (_error, stdout) => {
      resolve({ line: stdout.trimEnd().split('\n').at(-1), code: child.exitCode })
    })
  })
  expect(result).toEqual({ line, code: line.includes(' 0 failed') ? 0 : 1 })
})
