import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const PREPARE = join(import.meta.dirname, 'prepare.cjs')

/**
 * Runs it in a folder of its own, with a `pnpm` that records its arguments, as the given version of
 * Node.
 */
function prepare(version: string, filteredInstall: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'prepare-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules'))
  writeFileSync(
    join(folder, 'node_modules/.pnpm-workspace-state-v1.json'),
    JSON.stringify({ filteredInstall }),
  )
  writeFileSync(join(folder, 'calls'), '')
  writeFileSync(join(folder, 'pnpm'), `#!/bin/sh\necho "$@" >> ${join(folder, 'calls')}\n`)
  chmodSync(join(folder, 'pnpm'), 0o755)
  const code = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); require(${JSON.stringify(PREPARE)})`
  const { status, stderr } = spawnSync(process.execPath, ['-e', code], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: folder + delimiter + process.env['PATH'] },
  })
  return { status, stderr, calls: readFileSync(join(folder, 'calls'), 'utf8') }
}

it.each(['18.20.0', '22.17.1', '23.0.0', '24.10.0', '25.1.0'])(
  'rejects Node %s in one sentence',
  (version) => {
    const { status, stderr } = prepare(version, false)
    expect(status).toBe(1)
    expect(stderr).toMatch(
      new RegExp(`^Node ${version} is not supported; use .*npx .* pnpm start\n$`),
    )
  },
)

it.each(['22.18.0', '24.11.0', '26.0.0', '27.1.0'])('accepts Node %s without a word', (version) => {
  expect(prepare(version, false)).toEqual({ status: 0, stderr: '', calls: '' })
})

it('completes a filtered install', () => {
  expect(prepare('24.11.0', true)).toMatchObject({
    status: 0,
    calls: 'install --frozen-lockfile --prefer-offline\n',
  })
})
