import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pet, PetRepository } from '@pet-store/domain'
import { aNewPet, petRepositoryContract } from '@pet-store/persistence-testing'
import { freePort } from '@pet-store/testing-postgres'
import pg from 'pg'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openPostgresBulkAccess } from './bulk-access.ts'
import { migratePostgres, readPostgresMigrations } from './migrations.ts'
import { openPostgresPersistence } from './open-persistence.ts'
import { useDatabase } from './testing/temporary-database.test-support.ts'

const database = useDatabase()

const VERSION = installedVersion()
/** From 1.21 on, PgBouncer prepares statements itself on each connection to the server. */
const PREPARES = Number(/ 1\.([0-9]+)/.exec(VERSION ?? '')?.[1]) >= 21

const POOLER_HINT =
  'statement_timeout; if there is a pooler before the server, ' +
  'set its kind with the option pooler (DATABASE_POOLER).'

describe('Behind PgBouncer in transaction mode', () => {
  beforeEach((context) => {
    if (VERSION === undefined)
      context.skip('needs PgBouncer, which is not installed (Debian: pgbouncer)')
    console.log(`Pooler: ${VERSION}`)
  })

  it('the contract is fulfilled behind PgBouncer without named statements', async () => {
    const url = await startPgBouncer()
    const options = { url, pooler: 'transaction-unprepared' } as const
    const direct = new pg.Client({ connectionString: database.url })
    await direct.connect()
    onTestFinished(() => direct.end())

    await expect(migratePostgres({ url })).rejects.toThrow(POOLER_HINT)
    // Two programs at once: the lock of the migrations belongs to the transaction.
    const applied = await Promise.all([migratePostgres(options), migratePostgres(options)])
    expect(applied.flat()).toContain('0001-create-schema')
    await expect(openPostgresPersistence({ url })).rejects.toThrow(POOLER_HINT)
    const persistence = await openPostgresPersistence(options)
    onTestFinished(() => persistence.close())
    for (const { name, run } of petRepositoryContract) {
      await direct.query('truncate pet, idempotency_key restart identity')
      await run(persistence.pets).catch((error: unknown) => {
        throw new Error(name, { cause: error })
      })
    }
  })

  it('PgBouncer in statement mode is rejected, whatever opens the database', async () => {
    const url = await startPgBouncer('', 'statement')
    const options = { url, pooler: 'transaction-unprepared' } as const
    for (const open of [migratePostgres, openPostgresPersistence, openPostgresBulkAccess])
      await expect(open(options)).rejects.toThrow('a pooler in statement mode is not supported')
  })

  it.each(['none', 'transaction'] as const)(
    'named statements behind PgBouncer (%s) work, or opening is rejected',
    async (pooler) => {
      const url = await startPgBouncer('ignore_startup_parameters = statement_timeout')
      await migratePostgres({ url, pooler: 'transaction-unprepared' })
      if (!PREPARES) {
        for (const open of [
          migratePostgres,
          readPostgresMigrations,
          openPostgresPersistence,
          openPostgresBulkAccess,
        ]) {
          await expect(open({ url, pooler })).rejects.toThrow(
            '(DATABASE_POOLER) to transaction-unprepared.',
          )
        }
        return
      }
      const { pets, close } = await openPostgresPersistence({ url, pooler })
      onTestFinished(close)
      await assertReadsWhatItAdds(pets)
    },
  )

  it('reads behind PgBouncer each get their own result', async () => {
    const options = { url: await startPgBouncer(), pooler: 'transaction-unprepared' } as const
    const { pets, close } = await openPostgresPersistence({ ...options, mode: 'migrate' })
    onTestFinished(close)
    await assertReadsWhatItAdds(pets)
  })
})

function installedVersion(): string | undefined {
  try {
    return execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' }).split('\n')[0]
  } catch {
    return undefined
  }
}

/** Adds pets, and reads each of them while others are added. */
async function assertReadsWhatItAdds(pets: PetRepository): Promise<void> {
  const known: Pet[] = []
  for (let round = 0; round < 20; round += 1) {
    const [added] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, (_, at) => pets.add(aNewPet({ name: `Pet ${at}` })))),
      Promise.all(known.map(async (pet) => expect(await pets.find(pet.id)).toEqual(pet))),
      Promise.all(known.map(({ id }) => pets.list({ limit: 1, after: id }))),
    ])
    known.splice(0, known.length, ...added)
  }
}

/** Starts a pooler in front of the database and returns its URL. */
async function startPgBouncer(setting = '', mode = 'transaction'): Promise<string> {
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
pool_mode = ${mode}
default_pool_size = 3
${setting}
`,
  )
  // It does not run as root.
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  const pooler = spawn('pgbouncer', ['-q', join(folder, 'pgbouncer.ini')], {
    ...user,
    stdio: 'ignore',
  })
  onTestFinished(async () => {
    const ended = once(pooler, 'exit')
    pooler.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  })
  const url = new URL(database.url)
  url.port = String(port)
  await expect.poll(() => isReachable(url.href)).toBe(true)
  return url.href
}

async function isReachable(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  )
}
