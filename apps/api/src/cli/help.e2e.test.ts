import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { temporaryFolder } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { SETTINGS } from '../settings/settings.ts'
import { ENVIRONMENT, PROGRAM, runProgram } from '../testing/run-program.test-support.ts'

async function outputOf(command: string): Promise<string> {
  const { ended, output } = runProgram(command, await temporaryFolder())
  expect(await ended).toBe(0)
  return output.stdout
}

it('--version prints the version', async () => {
  expect(await outputOf('--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
})

it('serve --help lists every setting', async () => {
  const text = await outputOf('serve --help')
  for (const { variable } of Object.values(SETTINGS)) expect(text).toMatch(new RegExp(`^  ${variable}(?: |$)`, 'm'))
})

it('--help of every command ends with examples, whose options the command has', async () => {
  const namesIn = (help: string) => [...help.matchAll(/^ {2}(\w+)(?: \S.*?)? {2,}\S/gm)].map(([, name = '']) => name)
  const commands = namesIn(await outputOf('--help')).filter((name) => !['help', 'keys'].includes(name))
  const keys = namesIn(await outputOf('keys --help')).filter((name) => name !== 'help')
  expect([commands.length, keys.length]).toEqual([13, 4])
  const all = [...commands, ...keys.map((name) => `keys ${name}`)]
  const helps = await Promise.all(all.map(async (name) => [name, await outputOf(`${name} --help`)] as const))
  for (const [name, help] of helps) {
    const [options = '', examples] = help.split(/\nExamples:\n/)
    expect(examples, name).toMatch(new RegExp(`^ .*pet-store ${name}`))
    for (const [option] of examples?.matchAll(/(?<= )--[a-z-]+/g) ?? []) expect(options, name).toContain(`${option} `)
  }
})

it.each(['start', 'import pets.csv', 'keys revoke key_0'])(
  '%s with an unknown option or one argument too many ends with 2 and one line',
  async (command) => {
    const folder = await temporaryFolder()
    for (const wrong of ['--no-such-option', 'one-too-many']) {
      const { ended, output } = runProgram(`${command} ${wrong}`, folder)
      expect(await ended, wrong).toBe(2)
      expect(output, wrong).toEqual({ stdout: '', stderr: expect.stringMatching(/^error: .*\n$/) as string })
    }
    expect(readdirSync(folder)).toEqual([])
  },
)

it('keys without a command prints its help, and ends with 2', async () => {
  const { ended, output } = runProgram('keys', await temporaryFolder())
  expect([await ended, output.stdout]).toEqual([2, ''])
  expect(output.stderr).toMatch(/^Usage: pet-store /)
})

/** The script is printed by one run for all cases. */
const scripts = new Map<string, Promise<string>>()
function scriptOf(shell: string): Promise<string> {
  const script = scripts.get(shell) ?? outputOf(`completion ${shell}`)
  scripts.set(shell, script)
  return script
}

const COMPLETIONS = [
  ['imp', ['import']],
  ['keys ', ['create', 'list', 'rotate', 'revoke']],
  ['keys create --e', ['--expires']],
  ['export --status s', ['sold']],
  ['--js', []],
] as const

it.each(COMPLETIONS)('bash completes "pet-store %s"', async (typed, expected) => {
  const script = await scriptOf('bash')
  const words = ['pet-store', ...typed.split(' ')]
  const code = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _pet_store; echo "\${COMPREPLY[@]}"`
  expect(execFileSync('bash', ['-c', code], { encoding: 'utf8' }).trim()).toBe(expected.join(' '))
})

it.each(COMPLETIONS.slice(0, 4))('fish completes "pet-store %s"', async (typed, expected) => {
  const code = `${await scriptOf('fish')}\ncomplete -C "pet-store ${typed}"`
  const { error, stdout } = spawnSync('fish', ['--no-config', '-c', code], { encoding: 'utf8' })
  if (error !== undefined) return console.warn('fish is not installed, so its completion is not tested.')
  expect(stdout.match(/^\S+/gm)?.sort()).toEqual([...expected].sort())
})

it.each(['doctor', 'openapi'])(
  '%s ends without a stack trace when nobody reads its output, or the disk is full',
  async (command) => {
    const folder = await temporaryFolder()
    const run = (redirection: string) =>
      spawnSync(
        'bash',
        ['--norc', '-c', `set -o pipefail; "$0" "$1" ${command} ${redirection}`, process.execPath, PROGRAM],
        {
          cwd: folder,
          env: { ...ENVIRONMENT, PORT: '0' },
          encoding: 'utf8',
        },
      )
    expect(run('| true')).toMatchObject({ status: 0, stderr: '' })
    const full = run('> /dev/full')
    expect(full.status).toBe(1)
    expect(full.stderr).toMatch(/^Cannot write to standard output: ENOSPC.*\n$/)
  },
)
