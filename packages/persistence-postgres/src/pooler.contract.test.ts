import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { petRepositoryContract } from '@pet-store/persistence-testing'
import { freePort } from '@pet-store/testing-postgres'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { migratePostgres } from './migrations.ts'
import { openPostgresPersistence } from './open-persistence.ts'
import { useDatabase } from './testing/temporary-database.test-support.ts'

const database = useDatabase()

describe('Behind PgBouncer in transaction mode', () => {
  it('every promise is kept without named statements', async (context) => {
    const version = installedVersion()
    if (version === undefined) context.skip('needs PgBouncer, which is not installed (Debian: pgbouncer)')
    console.log(`Pooler: ${version}`)
    const url = await startPgBouncer()
    const options = { url, pooler: 'transaction-unprepared' } as const
    const direct = new pg.Client({ connectionString: database.url })
    await direct.connect()
    onTestFinished(() => direct.end())

    // Two starters at once: the lock of the migrations belongs to the transaction.
    const done = await Promise.all([migratePostgres(options), migratePostgres(options)])
    expect(done.flat()).toContain('0001-create-pets')
    await expect(openPostgresPersistence({ url })).rejects.toThrow(
      /statement_timeout; a pooler stands in between, so say which kind with the option pooler \(DATABASE_POOLER\)\.$/,
    )
    const storage = await openPostgresPersistence(options)
    onTestFinished(() => storage.close())
    for (const { name, run } of petRepositoryContract) {
      await direct.query('truncate pet restart identity')
      await run(storage.pets).catch((error: unknown) => {
        throw new Error(name, { cause: error })
      })
    }
  })
})

function installedVersion(): string | undefined {
  try {
    return execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' }).split('\n')[0]
  } catch {
    return undefined
  }
}

/** Starts a pooler in front of the database, and gives the URL through it. */
async function startPgBouncer(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-pooler-'))
  chmodSync(folder, 0o755)
  const { hostname, port: serverPort, pathname, username } = new URL(database.url)
  const port = await freePort()
  writeFileSync(join(folder, 'users.txt'), `"${username}" ""\n`)
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = 3
`,
  )
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  const pooler = spawn('pgbouncer', ['-q', join(folder, 'pgbouncer.ini')], { ...user, stdio: 'ignore' })
  onTestFinished(async () => {
    const ended = once(pooler, 'exit')
    pooler.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  })
  const url = new URL(database.url)
  url.port = String(port)
  await expect.poll(() => answers(url.href), { timeout: 10_000 }).toBe(true)
  return url.href
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  )
}
