import { execFile } from 'node:child_process'
import { chmod, mkdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '@pet-store/testing'
import { EmbeddedServer, runSql } from '@pet-store/testing-postgres'
import { expect, it, onTestFinished } from 'vitest'
import { runHere } from '../testing/run-command.test-support.ts'
import { PROGRAM } from '../testing/run-program.test-support.ts'

const DRILL = join(import.meta.dirname, '../../../../deploy/backup/restore-drill.sh')

/** Runs deploy/backup/restore-drill.sh, as docs/how-to/back-up-and-restore.md does. */
async function drill(
  given: readonly string[],
  environment: Record<string, string> = {},
  cwd = '/',
) {
  const PET_STORE = join(await temporaryFolder(), 'pet-store')
  await writeFile(PET_STORE, `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, {
    mode: 0o755,
  })
  const env = { PATH: process.env['PATH'], PG_RUN_AS: 'nobody', PET_STORE, ...environment }
  // By default a working directory without settings, which the user of PostgreSQL can read too.
  const running = promisify(execFile)('bash', [DRILL, ...given], { env, cwd })
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  )
}

async function run(command: string, folder: string, url: string) {
  expect(await runHere(command, folder, { DATABASE_URL: url })).toMatchObject({ code: 0 })
}

it('the restore drill reads a backup of SQLite, and reports too few pets and damage', async () => {
  const folder = await temporaryFolder()
  const backup = join(folder, 'backup.db')
  await run('seed --count 300 --seed 7', folder, 'sqlite:pets.db')
  await run('backup backup.db', folder, 'sqlite:pets.db')

  // Settings of the service that the drill must not follow.
  await writeFile(
    join(folder, '.env'),
    'DATABASE_URL_FILE=elsewhere\nPERSISTENCE_MODULE=./elsewhere.js\n',
  )
  const outcome = await drill(['sqlite', backup], { AT_LEAST: '300' }, folder)
  expect(outcome).toMatchObject({ code: 0, stderr: '' })
  expect(outcome.stdout.split('\n')).toEqual([
    expect.stringMatching(/^ok {3}restored in \d+ s$/),
    'ok   its schema is that of this program',
    expect.stringMatching(/^ok {3}every pet can be read: 300; the last one is \{"id":300,/),
    expect.stringMatching(/^ok {3}SHA-256 of pet-store export: [0-9a-f]{64}$/),
    'ok   the service lists and creates pets on it',
    '',
  ])
  expect(await drill(['sqlite', backup], { AT_LEAST: '301' })).toMatchObject({
    code: 1,
    stderr: 'FAIL it has 300 pets, and should have at least 301\n',
  })
  // The reason why the schema cannot be checked is reported too.
  const foreign = 'printf "There is no database\\n"; exit 3'
  await writeFile(join(folder, 'program'), `#!/bin/sh\n[ "$1" = restore ] || { ${foreign}; }\n`, {
    mode: 0o755,
  })
  expect(await drill(['sqlite', backup], { PET_STORE: join(folder, 'program') })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^FAIL its schema .*: There is no database\n$/) as string,
  })
  await truncate(backup, 20_000)
  expect(await drill(['sqlite', backup])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('FAIL the backup') as string,
  })
  expect(await drill(['nonsense'])).toMatchObject({ code: 2, stdout: '' })
})

it('the restore drill recovers PostgreSQL to a point in time', async () => {
  const folder = await temporaryFolder()
  const archive = join(folder, 'archive')
  await mkdir(archive)
  // Both are used by this user and by the user of the server.
  for (const path of [folder, archive]) await chmod(path, 0o777)
  const server = await EmbeddedServer.create()
  onTestFinished(() => server.remove())
  await server.start([
    '-c',
    'archive_mode=on',
    '-c',
    `archive_command=test ! -f '${archive}/%f' && cp '%p' '${archive}/%f'`,
  ])
  onTestFinished(() => server.stop())
  await run('seed --count 100 --seed 7', folder, server.url)
  const base = await server.createStandby()
  onTestFinished(() => base.remove())

  await run('seed --count 50 --seed 8', folder, server.url)
  const [now] = await runSql<{ time: string }>(server.url, 'select now()::text as time')
  await runSql(server.url, 'select pg_sleep(0.01)')
  // The mistake that is to be undone.
  await runSql(server.url, 'delete from pet where id > 10')
  await runSql(server.url, 'select pg_switch_wal()')
  await server.stop()

  const environment = { PG_BIN: server.programFolder, PGUSER: 'postgres', PGDATABASE: 'postgres' }
  const before = await drill(['pitr', base.dataFolder, archive, now?.time ?? ''], {
    AT_LEAST: '150',
    ...environment,
  })
  expect(before).toMatchObject({ code: 0, stderr: '' })
  expect(before.stdout).toContain('every pet can be read: 150;')
  const after = await drill(['pitr', base.dataFolder, archive], environment)
  expect(after.stdout).toContain('every pet can be read: 10;')

  await rm(archive, { recursive: true })
  const without = await drill(['pitr', base.dataFolder, archive, now?.time ?? ''], environment)
  expect(without).toMatchObject({ code: 1 })
})
