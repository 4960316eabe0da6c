import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { temporaryFolder } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { SETTING_LIST } from '../settings/settings.ts'
import { runHere } from '../testing/run-command.test-support.ts'
import { ENVIRONMENT, PROGRAM } from '../testing/run-program.test-support.ts'

async function outputOf(command: string): Promise<string> {
  const { code, stdout } = await runHere(command, await temporaryFolder())
  expect(code).toBe(0)
  return stdout
}

it('--version prints the version, and serve --help lists every setting', async () => {
  expect(await outputOf('--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
  const text = await outputOf('serve --help')
  for (const { variable } of SETTING_LIST)
    expect(text).toMatch(new RegExp(`^  ${variable}(?: |$)`, 'm'))
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
})

it('--help has examples whose options the commands have', async () => {
  const [, examples = ''] = (await outputOf('--help')).split('\nExamples:\n')
  const commands = [...examples.matchAll(/^ {2}pet-store ((?:keys )?\w+)(.*)$/gm)]
  expect(commands.length).toBeGreaterThan(5)
  for (const [, name = '', rest = ''] of commands) {
    const help = await outputOf(`${name} --help`)
    for (const [option] of rest.matchAll(/(?<= )--[a-z-]+/g)) expect(help, name).toContain(option)
  }
})

it('openapi prints the text of docs/openapi.json, even with invalid settings', async () => {
  const { code, stdout, stderr } = await runHere('openapi', await temporaryFolder(), {
    PORT: 'none',
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  await expect(stdout, 'pnpm interface:update writes it; review and commit it').toMatchFileSnapshot(
    '../../../../docs/openapi.json',
  )
})

it('wrong usage ends with 2 and one line, and creates nothing', async () => {
  const folder = await temporaryFolder()
  for (const command of ['config', 'import pets.csv', 'keys revoke key_0']) {
    for (const wrong of ['--no-such-option', 'one-too-many']) {
      const result = await runHere(`${command} ${wrong}`, folder)
      expect(result, wrong).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          /^error: .*\nAdd --help to see how it is used\.\n$/,
        ) as string,
      })
    }
  }
  // Settings that people write as options.
  for (const command of ['serve --port 3001', 'start 3001'])
    expect(await runHere(command, folder)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^error: .*\nSettings .* PORT=3001 pet-store serve; /,
      ) as string,
    })
  expect((await runHere('export pets.csv', folder)).stderr).toMatch(
    /\nName the file with --output /,
  )
  expect((await runHere('sevre', folder)).stderr).toBe(
    "error: unknown command 'sevre'\n(Did you mean serve?)\nAdd --help to see how it is used.\n",
  )
  expect(await runHere('help sevre', folder)).toMatchObject({
    code: 2,
    stderr: "error: unknown command 'sevre'\nAdd --help to see how it is used.\n",
  })
  for (const command of ['help', 'help help', 'help --help'])
    expect(await runHere(command, folder)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Usage: pet-store \[options\] \[command\]/) as string,
    })
  expect((await runHere('help keys create', folder)).stdout).toMatch(
    /^Usage: pet-store keys create/,
  )
  const { code, stdout, stderr } = await runHere('keys', folder)
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^Usage: pet-store /)])
  expect(readdirSync(folder)).toEqual([])
})

it.each(['doctor', 'openapi', 'keys --help', 'serve --help', '--version'])(
  '%s ends without a stack trace when nobody reads its output, or the disk is full',
  async (command) => {
    const folder = await temporaryFolder()
    const run = (redirection: string) =>
      spawnSync(
        'bash',
        [
          '--norc',
          '-c',
          `set -o pipefail; "$0" "$1" ${command} ${redirection}`,
          process.execPath,
          PROGRAM,
        ],
        {
          cwd: folder,
          env: { ...ENVIRONMENT, PORT: '0' },
          encoding: 'utf8',
        },
      )
    expect(run('| true')).toMatchObject({ status: 0, stderr: '' })
    const full = run('> /dev/full')
    expect(full.status).toBe(1)
    expect(full.stderr).toMatch(/^Cannot write to standard output: no space left on device\.\n$/)
  },
)
