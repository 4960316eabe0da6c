import { setTimeout } from 'node:timers/promises'
import { temporaryFolder } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { runHere } from '../testing/run-command.test-support.ts'
import { runProgram } from '../testing/run-program.test-support.ts'
import { DATABASES, openDatabase } from '../transfer/testing/databases.test-support.ts'
import { runShell } from '../transfer/testing/run-shell.test-support.ts'
import { inventPet } from './seed.ts'

it('seed stores the same pets for the same seed in every database', async () => {
  const folder = await temporaryFolder()
  const sqlite = { DATABASE_URL: await DATABASES.SQLite() }
  const postgres = { DATABASE_URL: await DATABASES.PostgreSQL() }
  const seeded = await runHere('seed --count 12345', folder, sqlite)
  expect(seeded.code).toBe(0)
  expect(seeded.stderr).toMatch(/^(Storing: .*\n)*$/)
  expect(seeded.stdout).toMatch(/^Stored 12,345 invented pets\. To store the same pets again: /)
  const [same = ''] = /pet-store seed --count \d+ --seed \d+$/m.exec(seeded.stdout) ?? []
  const [one, other] = await Promise.all([
    runShell('pet-store export', folder, sqlite),
    runShell(`${same} >&2 && pet-store export`, folder, postgres),
  ])
  expect(one.stdout.split('\n')).toHaveLength(12_346)
  expect(other.stdout).toBe(one.stdout)
})

it('Ctrl+C ends pet-store seed on SQLite, and says how many pets are stored', async () => {
  const DATABASE_URL = await DATABASES.SQLite()
  const bulk = await openDatabase(DATABASE_URL)
  const { process, output, ended } = runProgram(
    'seed --count 1000000000',
    await temporaryFolder(),
    { DATABASE_URL },
  )
  while ((await bulk.countPets()) === 0) {
    expect(process.exitCode, output.stderr).toBeNull()
    await setTimeout(10)
  }
  process.kill('SIGINT')
  expect(await ended).toBe(130)
  const [, count = ''] = /^Stopped\. ([\d,]+) invented pets stored\.$/m.exec(output.stderr) ?? []
  expect(count).toBe((await bulk.countPets()).toLocaleString('en'))
})

it('pet-store seed says why the database takes no more, such as a full disk', async () => {
  const folder = await temporaryFolder()
  const line = 'ulimit -f 500; trap "" XFSZ; pet-store seed --count 100000'
  const { code, stderr } = await runShell(line, folder, { DATABASE_URL: 'sqlite:pets.db' })
  expect(stderr).toMatch(/^The database is unavailable: .+\.\n$/m)
  expect(code).toBe(1)
})

it('pet-store seed --count many is wrong usage', async () => {
  const { code, stderr } = await runHere('seed --count many', await temporaryFolder())
  expect(stderr).toContain('It must be an integer from 0 to 1000000000.')
  expect(code).toBe(2)
})

const invented = (seed: number, count: number) =>
  Array.from({ length: count }, (_, index) => inventPet(seed, index))

it('invented pets are the same for the same seed, and others for another', () => {
  expect(invented(7, 3)).toEqual([
    { name: 'Maple the Quick', categoryId: 3n, status: 'available' },
    { name: 'Luna the Quick', categoryId: 11n, status: 'available' },
    { name: 'Juno', categoryId: 12n },
  ])
  expect(
    new Set(
      [0, 1, 2 ** 32 - 1].map((seed) =>
        invented(seed, 5)
          .map(({ name }) => name)
          .join(),
      ),
    ).size,
  ).toBe(3)
})

it('invented pets have every name, category and status, and some have none', () => {
  const pets = invented(1, 10_000)
  expect(new Set(pets.map(({ status }) => status))).toEqual(
    new Set(['available', 'pending', 'sold', undefined]),
  )
  expect(new Set(pets.map(({ categoryId }) => categoryId)).size).toBe(12)
  expect(new Set(pets.map(({ name }) => name)).size).toBe(30 + 30 * 16)
})
