import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { temporaryFolder } from '@pet-store/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { runHere } from '../testing/run-command.test-support.ts'
import { ENVIRONMENT, PROGRAM, runProgram } from '../testing/run-program.test-support.ts'
import { allPets, openDatabase } from './testing/databases.test-support.ts'
import { runShell } from './testing/run-shell.test-support.ts'

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder()
})

const DATABASE_URL = 'sqlite:pets.db'
const run = (command: string, settings = {}) =>
  runHere(command, folder, { DATABASE_URL, ...settings })
const write = (name: string, content: string | Buffer) => writeFile(`${folder}/${name}`, content)
const isStored = () => existsSync(`${folder}/pets.db`)
const stored = async () => {
  const bulk = await openDatabase(`sqlite:${folder}/pets.db`)
  return (await allPets(bulk)).map(({ id: _, ...pet }) => pet)
}
const names = (pets: readonly { name: string }[]) => pets.map(({ name }) => name)

describe('pet-store import', () => {
  it('import stores the pets of a file in their order, exactly', async () => {
    await write(
      'pets.csv',
      'id,name,categoryId,status\r\n' +
        '9,"Rex, ""the"" dog\r\n",9223372036854775807,sold\r\n9,Léo 🐕,0,\r\n',
    )
    const { code, stdout, stderr } = await run('import pets.csv')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Imported 2 pets.\n' })
    expect(stderr).toBe('')
    await write('more.ndjson', '{"name":"Rex","categoryId":-1}')
    expect((await run('import more.ndjson')).stdout).toBe('Imported 1 pet.\n')
    expect(await stored()).toEqual([
      { name: 'Rex, "the" dog\r\n', categoryId: 2n ** 63n - 1n, status: 'sold' },
      { name: 'Léo 🐕', categoryId: 0n },
      { name: 'Rex', categoryId: -1n },
    ])
  })

  const MIXED =
    '{"name":"a","categoryId":1}\n{"name":"","categoryId":1}\nnonsense\n' +
    '{"name":"b","categoryId":1,"Status":"sold"}\n{"name":"c","categoryId":9007199254740993}\n'
  const REJECTED =
    'line 2: name must have a character that is not white space, got ""\nline 3: must be ' +
    'JSON, got "nonsense"\nline 4: has the unknown field "Status"\n'
  const GOOD = [
    { name: 'a', categoryId: 1n },
    { name: 'c', categoryId: 9007199254740993n },
  ]

  it('import --on-error skip lists the rejected lines with number and reason', async () => {
    await write('pets.ndjson', MIXED)
    const { code, stdout, stderr } = await run('import pets.ndjson --on-error skip --json')
    const result = { dryRun: false, stored: 2, storedEarlier: 0, rejected: 3, isComplete: true }
    expect([code, JSON.parse(stdout)]).toEqual([1, result])
    expect(stderr.startsWith(REJECTED)).toBe(true)
    expect(await stored()).toEqual(GOOD)
  })

  it('import reads standard input', async () => {
    await write('pets', MIXED)
    const line = 'cat pets | pet-store import - --format ndjson --on-error skip'
    // Standard input is not recognised as a file that was imported already.
    for (let time = 1; time <= 2; time += 1) {
      expect(await runShell(line, folder, { DATABASE_URL })).toEqual({
        code: 1,
        stdout: 'Imported 2 pets; 3 lines rejected.\n',
        stderr: REJECTED,
      })
    }
    expect(await stored()).toEqual([...GOOD, ...GOOD])
  })

  it('import stores nothing of a file with a rejected line, and all once corrected', async () => {
    await write('pets.csv', 'name,categoryId\na,1\nb,one\nc,1\n')
    const first = await run('import pets.csv')
    expect(first).toMatchObject({ code: 1, stdout: 'Imported 0 pets; 1 line rejected.\n' })
    const [reason, stopped, ...rest] = first.stderr.split('\n')
    expect(reason).toMatch(/^line 3: categoryId must be .*, got "one"$/)
    expect(stopped).toMatch(/^Stopped at line 3: .*skip\. Nothing was stored\.$/)
    expect(rest).toEqual([''])
    expect(isStored()).toBe(false)
    await write('pets.csv', 'name,categoryId\na,1\nb,1\nc,1\n')
    expect(await run('import pets.csv')).toEqual({
      code: 0,
      stdout: 'Imported 3 pets.\n',
      stderr: '',
    })
    expect((await run('import pets.csv')).stderr).toContain('This file was imported on')
    expect((await run('import pets.csv --again')).stdout).toBe('Imported 3 pets.\n')
    expect(names(await stored())).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
  })

  it('import names a file that this user may not read', async () => {
    await write('pets.csv', 'name,categoryId\na,1\n')
    await chmod(`${folder}/pets.csv`, 0o000)
    await chmod(folder, 0o755)
    expect(
      await runHere('import pets.csv --dry-run', folder, {}, { asOrdinaryUser: true }),
    ).toEqual({ code: 1, stdout: '', stderr: 'Cannot read "pets.csv": permission denied.\n' })
  })

  it('import --dry-run stores nothing, not even a database', async () => {
    await write('pets.ndjson', MIXED)
    const { code, stdout, stderr } = await run('import pets.ndjson --dry-run --on-error skip')
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: '2 pets can be imported; 3 lines rejected.\n',
    })
    expect(stderr).toContain(REJECTED)
    expect(isStored()).toBe(false)
    expect(await run('import pets.ndjson --on-error skip')).toMatchObject({ code: 1 })
    const json = await run('import pets.ndjson --dry-run --on-error skip --json')
    expect(JSON.parse(json.stdout)).toEqual({
      dryRun: true,
      valid: 2,
      rejected: 3,
      isComplete: true,
    })
    const dry = await run('import pets.ndjson --dry-run')
    expect(dry).toMatchObject({ code: 1, stdout: '1 pet can be imported; 1 line rejected.\n' })
    expect(dry.stderr).toMatch(/Stopped at line 2: .*skip\. Nothing was stored\.\n$/)
    expect(await stored()).toEqual(GOOD)
  })

  it.each([
    ['import pets.txt', {}, 2, 'add --format csv or --format ndjson'],
    [
      'import pets.xlsx',
      {},
      2,
      '"pets.xlsx" is a spreadsheet; save it as "CSV UTF-8" and import that file',
    ],
    [
      'import pets.csv.gz',
      {},
      2,
      '"pets.csv.gz" is compressed; decompress it and import what it contains',
    ],
    ['import pets.json', {}, 2, "write one pet per line (jq -c '.[]' pets.json > pets.ndjson)"],
    [
      'import -',
      {},
      2,
      'standard input has no name that ends in .csv or .ndjson; add --format csv',
    ],
    ['import nowhere.csv', {}, 1, 'Cannot read "nowhere.csv": no such file or directory.'],
    ['import . --format csv', {}, 1, 'Cannot read ".": it is a folder.'],
    ['import pets.csv', { MIGRATE_ON_START: 'false' }, 1, 'there is no such file.'],
  ])('pet-store %s with %o ends with exit code %i', async (line, settings, exitCode, sentence) => {
    await write('pets.csv', 'name,categoryId\nRex,1\n')
    const { code, stderr } = await run(line, settings)
    expect(stderr).toContain(sentence)
    expect(code).toBe(exitCode)
    expect(isStored()).toBe(false)
  })

  it('import says after Ctrl+C how many pets are stored', async () => {
    await write('pets.csv', `name,categoryId\n${'Rex,1\n'.repeat(500_000)}`)
    const program = runProgram('import pets.csv', folder, { DATABASE_URL })
    const log = `${folder}/pets.db-wal`
    // Larger than the tables alone: the first pets are stored.
    while ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) < 1_000_000) {
      expect(program.process.exitCode, program.output.stderr).toBeNull()
      await setTimeout(20)
    }
    program.process.kill('SIGINT')
    expect(await program.ended).toBe(130)
    const message =
      /^Stopped\. ([\d,]+) pets stored; run the same command on the same file to continue\.$/m
    const bulk = await openDatabase(`sqlite:${folder}/pets.db`)
    expect(message.exec(program.output.stderr)?.[1]).toBe(
      (await bulk.countPets()).toLocaleString('en'),
    )
  })

  it('import says after Ctrl+C how far a file was checked, with nothing stored', async () => {
    const args = [PROGRAM, 'import', '-', '--format', 'csv', '--dry-run', '--on-error', 'skip']
    const program = spawn(process.execPath, args, { cwd: folder, env: { ...ENVIRONMENT } })
    const ended = once(program, 'exit')
    // It may end before it has read everything.
    program.stdin.on('error', () => {})
    // Read in pieces, of which the first one has the invalid line.
    program.stdin.write(`name,categoryId\nMia,none\n${'Rex,1\n'.repeat(50_000)}`)
    let stderr = ''
    for await (const text of program.stderr.setEncoding('utf8')) {
      stderr += text
      if (stderr.startsWith('line 2: ')) program.kill('SIGINT')
    }
    expect(stderr).toMatch(/\nStopped while checking, after line \d+\. Nothing was stored\.\n$/)
    expect(await ended).toEqual([130, null])
  })
})
