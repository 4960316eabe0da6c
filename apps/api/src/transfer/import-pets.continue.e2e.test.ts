import { writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { BulkAccess } from '@pet-store/persistence'
import { temporaryFolder } from '@pet-store/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { runProgram } from '../testing/run-program.test-support.ts'
import { allPets, DATABASES, KINDS, openDatabase } from './testing/databases.test-support.ts'
import { runShell } from './testing/run-shell.test-support.ts'

const nameOf = (index: number) => `Pet ${index}`

const format = (count: number) => count.toLocaleString('en')

function csv(count: number, padding = ''): string {
  const lines = Array.from({ length: count }, (_, index) => `${nameOf(index)}${padding},1\n`)
  return `name,categoryId\n${lines.join('')}`
}

describe.each(KINDS)('import into %s', (kind) => {
  let folder: string
  let url: string
  let bulk: BulkAccess
  beforeEach(async () => {
    folder = await temporaryFolder()
    url = await DATABASES[kind]()
    bulk = await openDatabase(url)
  })

  const start = (command: string) => runProgram(command, folder, { DATABASE_URL: url })
  const run = async (command: string) => {
    const { ended, output } = start(command)
    return { code: await ended, ...output }
  }
  const names = async () => (await allPets(bulk)).map(({ name }) => name)

  it('import continues after every kill -9 without losing or duplicating a pet', async () => {
    // Six transactions.
    const count = 30_000
    await writeFile(`${folder}/pets.csv`, csv(count))
    let before = 0
    for (let kill = 1; kill <= 2; kill += 1) {
      const program = start('import pets.csv')
      while ((await bulk.countPets()) <= before) {
        expect(program.process.exitCode, program.output.stderr).toBeNull()
        await setTimeout(5)
      }
      program.process.kill('SIGKILL')
      expect(await program.ended).toBe('SIGKILL')
      before = await bulk.countPets()
      expect(before).toBeLessThan(count)
    }
    const { code, stdout } = await run('import pets.csv')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        `Imported ${format(count - before)} pets, after ${format(before)} pets of an earlier ` +
        'run.\n',
    })
    expect(await names()).toEqual(Array.from({ length: count }, (_, index) => nameOf(index)))
    const again = await run('import pets.csv')
    expect(again).toMatchObject({ code: 1, stdout: '' })
    expect(again.stderr).toMatch(
      /^This file was imported on \d{4}-\d\d-\d\d\. To store its pets once more, use --again\.$/m,
    )
    expect(await bulk.countPets()).toBe(count)
  })

  it('import stores each pet once when two processes import the same file', async () => {
    const count = 10_000
    await writeFile(`${folder}/pets.csv`, csv(count))
    const both = await Promise.all([run('import pets.csv'), run('import pets.csv')])
    // The second one finds the other at work, or done.
    for (const { code, stderr } of both) {
      if (code !== 0)
        expect(stderr).toMatch(/Another import is running\.|This file was imported on/)
    }
    await run('import pets.csv')
    expect(await names()).toEqual(Array.from({ length: count }, (_, index) => nameOf(index)))
  })
})

it('an import that a full disk ends says how many pets are stored, and continues', async () => {
  const folder = await temporaryFolder()
  await writeFile(`${folder}/pets.csv`, csv(15_000, 'x'.repeat(200)))
  const settings = { DATABASE_URL: 'sqlite:pets.db' }
  const full = await runShell(
    'ulimit -f 4000; trap "" XFSZ; pet-store import pets.csv',
    folder,
    settings,
  )
  expect(full.code).toBe(1)
  const [, stored = ''] =
    /^Stopped\. ([\d,]+) pets stored; run the same command .*\n.+\n$/.exec(full.stderr) ?? []
  const rest = await runShell('pet-store import pets.csv', folder, settings)
  expect(rest).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`, after ${stored} pets of an `) as string,
  })
})
