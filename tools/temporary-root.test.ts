import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const MODULE = join(import.meta.dirname, 'temporary-root.ts')

/** A run in a system whose temporary folder is this one, which goes on until it is ended. */
async function startRun(systemFolder: string): Promise<{ root: string; run: ChildProcess }> {
  const code = `import { tmpdir } from 'node:os'
    import { useTemporaryRoot } from ${JSON.stringify(MODULE)}
    useTemporaryRoot()
    console.log(tmpdir())
    process.stdin.on('end', () => process.exit()).resume()`
  const run = spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: { ...process.env, TMPDIR: systemFolder },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void run.kill('SIGKILL'))
  const [root] = (await once(run.stdout.setEncoding('utf8'), 'data')) as [string]
  writeFileSync(join(root.trim(), 'file'), '')
  return { root: basename(root.trim()), run }
}

it('a run removes its temporary files at its end, and those of runs that were killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'temporary-root-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const killed = await startRun(folder)
  const running = await startRun(folder)
  killed.run.kill('SIGKILL')
  await once(killed.run, 'close')
  expect(readdirSync(folder)).toEqual([killed.root, running.root].sort())

  const last = await startRun(folder)
  expect(readdirSync(folder)).toEqual([running.root, last.root].sort())
  for (const { run } of [running, last]) {
    run.stdin?.end()
    await once(run, 'close')
  }
  expect(readdirSync(folder)).toEqual([])
})
