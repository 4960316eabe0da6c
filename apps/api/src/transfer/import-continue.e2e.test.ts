import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { BulkAccess } from '@pet-store/persistence'
import { beforeEach, describe, expect, it } from 'vitest'
import { runProgram } from '../testing/run-program.test-support.ts'
import { allPets, DATABASES, KINDS, openDatabase, temporaryFolder } from './testing/databases.test-support.ts'

/** Long enough for many transactions. */
const PADDING = 'x'.repeat(200)
const nameOf = (index: number) => `Pet ${index} ${PADDING}`

const format = (count: number) => count.toLocaleString('en')

function csv(count: number): string {
  return `name,categoryId\n${Array.from({ length: count }, (_, index) => `${nameOf(index)},1\n`).join('')}`
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

  it('continues after every kill -9 without losing or doubling a pet', async () => {
    const count = 100_000
    await writeFile(`${folder}/pets.csv`, csv(count))
    let before = 0
    for (let kill = 1; kill <= 3; kill += 1) {
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
      stdout: `Imported ${format(count - before)} pets, after ${format(before)} pets of an earlier run.\n`,
    })
    expect(await names()).toEqual(Array.from({ length: count }, (_, index) => nameOf(index)))
    const again = await run('import pets.csv')
    expect(again).toMatchObject({ code: 1, stdout: '' })
    expect(again.stderr).toMatch(
      /^This file was imported on \d{4}-\d\d-\d\d\. To store its pets once more, use --again\.\n$/,
    )
    expect(await bulk.countPets()).toBe(count)
  })

  it('stores each pet once when two processes import the same file', async () => {
    const count = 20_000
    await writeFile(`${folder}/pets.csv`, csv(count))
    const both = await Promise.all([run('import pets.csv'), run('import pets.csv')])
    // The second one finds the other at work, or done.
    for (const { code, stderr } of both) {
      if (code !== 0) expect(stderr).toMatch(/Another import is running\.|This file was imported on/)
    }
    await run('import pets.csv')
    expect(await names()).toEqual(Array.from({ length: count }, (_, index) => nameOf(index)))
  })

  it('ends at a rejected line, and continues there with --continue when the file was corrected', async () => {
    const file = `${folder}/pets.csv`
    await writeFile(file, 'name,categoryId\na,1\nb,one\nc,1\nd,\ne,1\n')
    const first = await run('import pets.csv')
    expect(first).toMatchObject({ code: 1, stdout: 'Imported 1 pet; 1 line rejected.\n' })
    expect(first.stderr).toContain('line 3: categoryId must be an integer from')
    expect(first.stderr).toContain('Stopped at line 3. Correct the file and run the command with --continue.\n')
    expect(await names()).toEqual(['a'])

    expect(await run('import pets.csv')).toMatchObject({
      code: 1,
      stdout: 'Imported 0 pets, after 1 pet of an earlier run; 1 line rejected.\n',
    })
    await writeFile(file, (await readFile(file, 'utf8')).replace('one', '1'))
    const unsure = await run('import pets.csv')
    expect(unsure).toMatchObject({ code: 1, stdout: '' })
    expect(unsure.stderr).toMatch(
      /^The first 2 lines of this file were stored on \d{4}-\d\d-\d\d by an import that was interrupted, and the file has changed since\. To store only the lines after them, use --continue; to store every line, use --again\.\n$/,
    )
    const third = await run('import pets.csv --continue --on-error skip --report rejected.txt')
    expect(third).toMatchObject({
      code: 1,
      stdout: 'Imported 3 pets, after 1 pet of an earlier run; 1 line rejected.\n',
    })
    expect(await readFile(`${folder}/rejected.txt`, 'utf8')).toBe(
      'line 5: categoryId must be an integer from -9223372036854775808 to 9223372036854775807, got ""\n',
    )
    expect(await names()).toEqual(['a', 'b', 'c', 'e'])
    expect((await run('import pets.csv')).stderr).toContain('This file was imported on')
  })
})
