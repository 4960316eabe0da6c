import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { type FaultyProxy, until } from '@pet-store/testing'
import { runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { expect, inject, it, onTestFinished } from 'vitest'
import { emptyDatabase, openProxy, startOwnPostgres, withTls } from '../harness/database.ts'
import { itLong, report } from '../harness/plan.ts'
import { Service } from '../harness/service.ts'
import { walkPets } from '../harness/writers.ts'

interface Database {
  readonly proxy: FaultyProxy
  /** Of a maintenance database on the same server. */
  readonly serverUrl: string
  readonly name: string
}

const terminate = ({ serverUrl, name }: Database) =>
  runSql(
    serverUrl,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname in ('${name}', '${name}_moved')`,
  )

const MAX_CONNECTIONS = 20

const CAUSES: readonly {
  what: string
  start: (database: Database) => Promise<unknown>
  end: (database: Database) => Promise<unknown>
}[] = [
  {
    what: 'nothing responds',
    start: async ({ proxy }) => proxy.set('black-hole'),
    end: async ({ proxy }) => proxy.set('none'),
  },
  {
    what: 'connections are reset',
    start: async ({ proxy }) => proxy.set('reset'),
    end: async ({ proxy }) => proxy.set('none'),
  },
  {
    what: 'the database does not exist',
    async start(database) {
      await runSql(database.serverUrl, `alter database ${database.name} allow_connections false`)
      await terminate(database)
      await runSql(database.serverUrl, `alter database ${database.name} rename to ${database.name}_moved`)
    },
    async end({ serverUrl, name }) {
      await runSql(serverUrl, `alter database ${name}_moved rename to ${name}`)
      await runSql(serverUrl, `alter database ${name} allow_connections true`)
    },
  },
  {
    what: 'the database accepts no connections',
    async start(database) {
      await runSql(database.serverUrl, `alter database ${database.name} allow_connections false`)
      await terminate(database)
    },
    end: ({ serverUrl, name }) => runSql(serverUrl, `alter database ${name} allow_connections true`),
  },
]

/** Every response is 503 as long as it lasts, nothing is stored, and afterwards the service is as before. */
async function expectUnavailable(
  what: string,
  service: Service,
  start: () => Promise<unknown>,
  end: () => Promise<unknown>,
) {
  const create = (name: string) =>
    service.ask({ method: 'POST', path: '/v1/pets', body: JSON.stringify({ name, categoryId: 1 }) })
  expect((await create('before'))?.status).toBe(201)
  await start()
  // What is sent on connections of before may be of unknown outcome.
  await create('between')
  const during = await Promise.all([
    ...Array.from({ length: 5 }, () => service.ask({ path: '/v1/pets' })),
    ...Array.from({ length: 5 }, () => service.ask({ path: '/v1/pets/1' })),
    ...Array.from({ length: 5 }, () => create('during')),
  ])
  // Its result is shared for a second.
  await until('it is not ready', async () => (await service.ask({ path: '/readyz' }))?.status === 503)
  const alive = await service.ask({ path: '/livez' })
  await end()
  expect(during.map((response) => [response?.status, response?.headers['retry-after'] !== undefined])).toEqual(
    during.map(() => [503, true]),
  )
  expect(alive?.status).toBe(200)
  await until('the service works again', async () => (await service.ask({ path: '/v1/pets' }))?.status === 200)
  expect((await create('after'))?.status).toBe(201)
  const names = (await walkPets(service)).map(({ name }) => name)
  report(`unavailable: ${what}`, { responses: during.length, stored: names.length })
  expect(names.filter((name) => name !== 'between')).toEqual(['before', 'after'])
}

itLong.each(CAUSES)('responds with 503 while $what, and stores nothing', async ({ what, start, end }) => {
  const serverUrl = inject('postgresUrl')
  const url = await emptyDatabase('PostgreSQL')
  const database = { proxy: await openProxy(url), serverUrl, name: new URL(url).pathname.slice(1) }
  const service = await Service.start({
    databaseUrl: database.proxy.url,
    settings: { DATABASE_STATEMENT_TIMEOUT: '1000' },
  })
  await expectUnavailable(
    what,
    service,
    () => start(database),
    () => end(database),
  )
})

it('responds with 503 while the server does not support TLS, and stores nothing', async () => {
  const server = await startOwnPostgres({ isTls: true })
  const proxy = await openProxy(withTls(server.url))
  const service = await Service.start({ databaseUrl: proxy.url, settings: { DATABASE_STATEMENT_TIMEOUT: '1000' } })
  await expectUnavailable(
    'no TLS',
    service,
    async () => proxy.moveTo(inject('postgresUrl')),
    async () => proxy.moveTo(server.url),
  )
})

itLong('responds with 503 while the server rejects its user, and stores nothing', async () => {
  const server = await startOwnPostgres()
  await runSql(server.url, 'create role pets superuser login')
  const url = Object.assign(new URL(server.url), { username: 'pets' }).href
  const service = await Service.start({ databaseUrl: url })
  await expectUnavailable(
    'user rejected (28000)',
    service,
    async () => {
      await runSql(server.url, 'alter role pets nologin')
      await runSql(server.url, "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'pets'")
    },
    () => runSql(server.url, 'alter role pets login'),
  )
})

itLong('responds with 503 while attempts to connect get no response at all, and stores nothing', async () => {
  const server = await startOwnPostgres({ flags: ['-c', `max_connections=${MAX_CONNECTIONS}`] })
  const [postmaster] = (await readFile(join(server.dataFolder, 'postmaster.pid'), 'utf8')).split('\n').map(Number)
  if (postmaster === undefined) throw new Error('The server does not run.')
  const service = await Service.start({ databaseUrl: server.url })
  const inside = new pg.Client({ connectionString: server.url })
  await inside.connect()
  onTestFinished(() => inside.end())
  let waiting: readonly Socket[] = []
  onTestFinished(() => {
    process.kill(postmaster, 'SIGCONT')
  })
  await expectUnavailable(
    'attempts to connect are dropped',
    service,
    async () => {
      process.kill(postmaster, 'SIGSTOP')
      // PostgreSQL lets twice as many wait. The system does not respond to further ones.
      waiting = Array.from({ length: 3 * MAX_CONNECTIONS }, () =>
        connect(server.port, '127.0.0.1').on('error', () => {}),
      )
      await inside.query('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()')
    },
    async () => {
      expect(waiting.filter(({ connecting }) => connecting).length).toBeGreaterThan(0)
      for (const socket of waiting) socket.destroy()
      process.kill(postmaster, 'SIGCONT')
    },
  )
})
