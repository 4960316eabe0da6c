import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../testing/run-program.test-support.ts'
import { DATABASES, KINDS, openDatabase, temporaryFolder } from './testing/databases.test-support.ts'
import { runShell } from './testing/run-shell.test-support.ts'

describe.each(KINDS)('pet-store seed into %s', (kind) => {
  it('stores the given number of pets, the same ones for the same seed', async () => {
    const folder = await temporaryFolder()
    const [DATABASE_URL, other] = [await DATABASES[kind](), await DATABASES[kind]()]
    const seeded = await runShell('pet-store seed --count 12345', folder, { DATABASE_URL })
    expect(seeded.code).toBe(0)
    expect(seeded.stderr).toMatch(/^(Storing: .*\n)*$/)
    expect(await (await openDatabase(DATABASE_URL)).countPets()).toBe(12_345)

    const [, same = ''] =
      /^Stored 12,345 invented pets\. The same again: (pet-store seed --count 12345 --seed \d+)\n$/.exec(
        seeded.stdout,
      ) ?? []
    const line = `${same} >&2 && pet-store export`
    const [here, there] = await Promise.all([
      runShell('pet-store export', folder, { DATABASE_URL }),
      runShell(line, folder, { DATABASE_URL: other }),
    ])
    expect(there.stdout.split('\n')).toHaveLength(12_346)
    expect(there.stdout).toBe(here.stdout)
  })
})

it('Ctrl+C ends pet-store seed on SQLite, and says how many pets are stored', async () => {
  const DATABASE_URL = await DATABASES.SQLite()
  const { process, output, ended } = runProgram('seed --count 1000000000', await temporaryFolder(), { DATABASE_URL })
  while (!output.stderr.includes('Storing: ')) await setTimeout(100)
  process.kill('SIGINT')
  expect(await ended).toBe(130)
  const [, count = ''] = /^Stopped\. ([\d,]+) invented pets are stored\.$/m.exec(output.stderr) ?? []
  expect(count).toBe((await (await openDatabase(DATABASE_URL)).countPets()).toLocaleString('en'))
})

it.each([
  ['seed', {}, "required option '--count <number>' not specified"],
  ['seed --count many', {}, 'It must be an integer from 0 to 1000000000.'],
  ['seed --count 5 --seed 4294967296', {}, 'It must be an integer from 0 to 4294967295.'],
])('pet-store %s with %o is wrong usage', async (command, settings, sentence) => {
  const { code, stderr } = await runShell(`pet-store ${command}`, await temporaryFolder(), settings)
  expect(stderr).toContain(sentence)
  expect(code).toBe(2)
})
