import { expect, it } from 'vitest'
import { SETTINGS } from '../settings/settings.ts'
import { runProgram, temporaryFolder } from '../testing/run-program.test-support.ts'

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
