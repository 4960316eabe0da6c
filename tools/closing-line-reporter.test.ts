import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'closing-line-'))
  // So that the small test files find vitest.
  symlinkSync(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe.concurrent('the closing line', () => {
  it('counts passed tests', async () => {
    expect(await run('passes', `it('a', () => {}); it('b', () => {})`)).toEqual({ line: '2 passed, 0 failed', code: 0 })
  })

  it('counts failed tests', async () => {
    const body = `it('a', () => {}); it('b', () => { throw new Error('no') })`
    expect(await run('fails', body)).toEqual({ line: '1 passed, 1 failed', code: 1 })
  })

  it('counts tests that are skipped with a reason', async () => {
    const body = `it('a', () => {}); it('b', (context) => context.skip('needs a printer'))`
    expect(await run('skips', body)).toEqual({ line: '1 passed, 0 failed, 1 skipped', code: 0 })
  })

  it('counts skips without a reason, todos and tests hidden by an only as failed', async () => {
    const body = `it('a', () => {}); it['skip']('b', () => {}); it['todo']('c'); describe('d', () => { it('e', () => {}); it['only']('f', () => {}) })`
    expect(await run('hides', body)).toEqual({ line: '1 passed, 4 failed', code: 1 })
  })

  it('counts a file that does not load as failed', async () => {
    expect(await run('breaks', `throw new Error('no')`)).toEqual({ line: '0 passed, 1 failed', code: 1 })
  })

  it('counts a broken hook as failed', async () => {
    const body = `it('a', () => {}); afterAll(() => { throw new Error('no') })`
    expect(await run('hook', body)).toEqual({ line: '1 passed, 1 failed', code: 1 })
  })

  it('counts an error outside of every test as failed', async () => {
    const body = `it('a', async () => { setTimeout(() => { throw new Error('no') }); await new Promise((r) => setTimeout(r, 50)) })`
    expect(await run('unhandled', body)).toEqual({ line: '1 passed, 1 failed', code: 1 })
  })

  it('counts a run without tests as failed', async () => {
    expect(await run('nothing')).toEqual({ line: '0 passed, 1 failed', code: 1 })
  })
})

/** Runs one small test file in a vitest of its own. */
async function run(name: string, body?: string): Promise<{ line: string | undefined; code: number }> {
  if (body !== undefined) {
    writeFileSync(join(folder, `${name}.spec.ts`), `import { afterAll, describe, it } from 'vitest'\n${body}\n`)
  }
  const reporter = join(import.meta.dirname, 'closing-line-reporter.ts')
  const config = join(folder, `${name}.config.ts`)
  writeFileSync(
    config,
    `import { ClosingLineReporter } from ${JSON.stringify(reporter)}
    export default { test: { allowOnly: true, include: ['${name}.spec.ts'], reporters: ['default', new ClosingLineReporter()] } }`,
  )
  const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [vitest, 'run', '--root', folder, '--config', config], (_, stdout) => {
      resolve({ line: stdout.trimEnd().split('\n').at(-1), code: child.exitCode ?? -1 })
    })
  })
}
