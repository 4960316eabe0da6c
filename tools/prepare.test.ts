import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

interface State {
  readonly filteredInstall: boolean
  readonly lastValidatedTimestamp: number
}

const INSTALLED: State = { filteredInstall: false, lastValidatedTimestamp: Date.now() + 60_000 }

/**
 * Runs it in a folder of its own, as the given version of Node, after an install that left this
 * state, with a `pnpm` that records its arguments.
 */
function prepare(version: string, state: State | undefined, ...args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'prepare-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write('calls', '')
  for (const name of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml']) write(name, '{}')
  for (const name of ['node_modules', 'tools']) mkdirSync(join(folder, name))
  const program = join(folder, 'tools/prepare.cjs')
  copyFileSync(join(import.meta.dirname, 'prepare.cjs'), program)
  const notes = { ...state, projects: { [folder]: {} } }
  if (state) write('node_modules/.pnpm-workspace-state-v1.json', JSON.stringify(notes))
  write('pnpm', `#!/bin/sh\necho "$@" >> ${join(folder, 'calls')}\n`)
  chmodSync(join(folder, 'pnpm'), 0o755)
  const node = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`
  const code = `${node}; require(${JSON.stringify(program)})`
  const { status, stderr } = spawnSync(process.execPath, ['-e', code, '--', 'prepare', ...args], {
    encoding: 'utf8',
    env: { ...process.env, PATH: folder + delimiter + process.env['PATH'] },
  })
  return { status, stderr, calls: readFileSync(join(folder, 'calls'), 'utf8') }
}

it.each(['18.20.0', '22.17.1', '23.0.0', '24.10.0', '25.1.0'])(
  'a start on Node %s says which Node it needs',
  (version) => {
    const { status, stderr } = prepare(version, INSTALLED)
    expect(status).toBe(1)
    expect(stderr).toMatch(
      new RegExp(`^Node ${version} is not supported; use .*npx .* pnpm start\n$`),
    )
  },
)

it.each(['22.18.0', '24.11.0', '26.0.0', '27.1.0'])(
  'a start on Node %s says nothing when all is installed',
  (version) => {
    expect(prepare(version, INSTALLED)).toEqual({ status: 0, stderr: '', calls: '' })
  },
)

const CHANGED: State = { ...INSTALLED, lastValidatedTimestamp: 0 }
const ONLY_PROGRAM: State = { ...INSTALLED, filteredInstall: true }
const ALL = 'install --prefer-offline\n'
const PROGRAM = /^install --prefer-offline --filter=@pet-store\/api\.\.\. /

it.each([
  ['everything in a fresh clone', undefined, [], ALL],
  ['everything after a file that pnpm reads has changed', CHANGED, [], ALL],
  ['the rest when only the program is installed', ONLY_PROGRAM, [], ALL],
  ['the program in a fresh clone, if no more is needed', undefined, ['--program'], PROGRAM],
  ['nothing when the program is installed and no more needed', ONLY_PROGRAM, ['--program'], ''],
])('a command installs %s', (_, state, args, calls) => {
  expect(prepare('24.11.0', state, ...args)).toMatchObject({
    status: 0,
    calls: calls instanceof RegExp ? expect.stringMatching(calls) : calls,
  })
})
