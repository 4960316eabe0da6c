import { writeFile } from 'node:fs/promises'
import { temporaryFolder } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { runProgram } from '../testing/run-program.test-support.ts'

async function run(command: string, folder: string, settings: Record<string, string> = {}) {
  const { ended, output } = runProgram(command, folder, settings)
  return { code: await ended, ...output }
}

it('doctor names what prevents a start, with a remedy, and changes nothing', async () => {
  const folder = await temporaryFolder()
  await writeFile(`${folder}/pets.db`, '')
  const settings = { DATABASE_URL: 'sqlite:pets.db', DATABASE_ULR: 'sqlite:typo.db' }
  const before = await run('doctor', folder, settings)
  expect(before).toMatchObject({ code: 1 })
  expect(before.stdout).toMatch(/^warning {2}settings {4}DATABASE_ULR is ignored\n +-> did you mean DATABASE_URL\?$/m)
  expect(before.stdout).toMatch(/^error {4}migrations {2}sqlite:pets.db lacks 0001-.*\n +-> run pet-store migrate$/m)

  expect((await run('migrate', folder, settings)).code).toBe(0)
  const migrated = await run('doctor --json', folder, settings)
  expect(migrated.code).toBe(0)
  const findings = JSON.parse(migrated.stdout) as { check: string; state: string }[]
  const state = (check: string) => findings.filter((finding) => finding.check === check).map((finding) => finding.state)
  expect([
    state('program'),
    state('disk'),
    state('migrations'),
    state('database'),
    state('keys'),
    state('clock'),
  ]).toEqual([['ok'], ['ok'], ['ok'], ['ok'], ['warning'], ['ok']])
})

it('doctor reports invalid settings and a database that cannot be opened, without its password', async () => {
  const folder = await temporaryFolder()
  const wrong = await run('doctor', folder, { PORT: 'x', LOG_LEVEL: 'y' })
  expect(wrong.code).toBe(1)
  expect(wrong.stdout).toMatch(/^error {4}settings {4}PORT must be an integer from 0 to 65535, got "x"$/m)
  expect(wrong.stdout).toMatch(/^error {4}settings {4}LOG_LEVEL must be one of/m)

  const away = await run('doctor', folder, { DATABASE_URL: 'postgres://pets:secret@127.0.0.1:1/pets' })
  expect(away.code).toBe(1)
  expect(away.stdout).toMatch(/^error {4}database .*127\.0\.0\.1/m)
  expect(JSON.stringify(away)).not.toContain('secret')
})

it.each([
  ['that is missing', async () => {}, 'there is no folder ./data', 'run pet-store migrate'],
  [
    'whose name a file has',
    (folder: string) => writeFile(`${folder}/data`, ''),
    './data is a file',
    'a folder of that name is needed: move the file, or change DATABASE_URL',
  ],
])('doctor names a folder %s, and nothing that follows from it', async (_folder, make, message, remedy) => {
  const folder = await temporaryFolder()
  await make(folder)
  const { code, stdout } = await run('doctor', folder)
  expect(code).toBe(1)
  expect(stdout.match(/^error.*\n.*$/gm)).toEqual([
    `error    disk        ${message}\n                     -> ${remedy}`,
  ])
})
