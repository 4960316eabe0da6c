import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { type FaultyProxy, until } from '@pet-store/testing'
import { runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { expect, inject, it, onTestFinished } from 'vitest'
import { emptyDatabase, openProxy, startOwnPostgres, withTls } from '../harness/database.ts'
import { itLong, report } from '../harness/experiment.ts'
import { listAllPets } from '../harness/list-all-pets.ts'
import { Service } from '../harness/service.ts'

interface Outage {
  readonly databaseUrl: string
  start(): Promise<unknown>
  end(): Promise<unknown>
}

const MAX_CONNECTIONS = 20

/** An outage of one database on the server that all tests share, behind a proxy. */
async function outageOf(
  start: (proxy: FaultyProxy, name: string) => Promise<unknown>,
  end: (proxy: FaultyProxy, name: string) => Promise<unknown>,
): Promise<Outage> {
  const url = await emptyDatabase('PostgreSQL')
  const proxy = await openProxy(url)
  const name = new URL(url).pathname.slice(1)
  return { databaseUrl: proxy.url, start: () => start(proxy, name), end: () => end(proxy, name) }
}

const alter = (name: string, change: string) =>
  runSql(inject('postgresUrl'), `alter database ${name} ${change}`)

async function closeDatabase(name: string): Promise<void> {
  await alter(name, 'allow_connections false')
  const connections = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = '${name}'`
  await runSql(inject('postgresUrl'), connections)
}

const OUTAGES: Readonly<Record<string, () => Promise<Outage>>> = {
  'nothing responds': () =>
    outageOf(
      async (proxy) => proxy.set('black-hole'),
      async (proxy) => proxy.set('none'),
    ),
  'connections are reset': () =>
    outageOf(
      async (proxy) => proxy.set('reset'),
      async (proxy) => proxy.set('none'),
    ),
  'the database accepts no connections': () =>
    outageOf(
      (_, name) => closeDatabase(name),
      (_, name) => alter(name, 'allow_connections true'),
    ),
  'the database does not exist': () =>
    outageOf(
      async (_, name) => {
        await closeDatabase(name)
        await alter(name, `rename to ${name}_moved`)
      },
      async (_, name) => {
        await alter(`${name}_moved`, `rename to ${name}`)
        await alter(name, 'allow_connections true')
      },
    ),
  'the server rejects its user': async () => {
    const { url } = await startOwnPostgres()
    await runSql(url, 'create role pets superuser login')
    return {
      databaseUrl: Object.assign(new URL(url), { username: 'pets' }).href,
      async start() {
        await runSql(url, 'alter role pets nologin')
        await runSql(
          url,
          "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'pets'",
        )
      },
      end: () => runSql(url, 'alter role pets login'),
    }
  },
  'attempts to connect get no response at all': async () => {
    const server = await startOwnPostgres({ flags: ['-c', `max_connections=${MAX_CONNECTIONS}`] })
    const [postmaster = 0] = (await readFile(join(server.dataFolder, 'postmaster.pid'), 'utf8'))
      .split('\n')
      .map(Number)
    const inside = new pg.Client({ connectionString: server.url })
    await inside.connect()
    onTestFinished(() => inside.end())
    onTestFinished(() => void process.kill(postmaster, 'SIGCONT'))
    let waiting: readonly Socket[] = []
    return {
      databaseUrl: server.url,
      async start() {
        process.kill(postmaster, 'SIGSTOP')
        // PostgreSQL lets twice as many wait. The system does not respond to further ones.
        waiting = Array.from({ length: 3 * MAX_CONNECTIONS }, () =>
          connect(server.port, '127.0.0.1').on('error', () => {}),
        )
        await inside.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()',
        )
      },
      async end() {
        expect(waiting.filter(({ connecting }) => connecting).length).toBeGreaterThan(0)
        for (const socket of waiting) socket.destroy()
        process.kill(postmaster, 'SIGCONT')
      },
    }
  },
}

itLong.each(Object.entries(OUTAGES))(
  'every response is 503 while %s, and nothing is stored',
  async (what, prepare) => {
    await expectUnavailable(what, await prepare())
  },
)

it('every response is 503 while the server does not support TLS', async () => {
  const { url } = await startOwnPostgres({ isTls: true })
  const proxy = await openProxy(withTls(url))
  const start = async () => proxy.moveTo(inject('postgresUrl'))
  const end = async () => proxy.moveTo(url)
  await expectUnavailable('no TLS', { databaseUrl: proxy.url, start, end })
})

/**
 * Expects that during the outage every response is 503, nothing is stored and the log says so once,
 * and that afterwards the service works as before.
 */
async function expectUnavailable(what: string, { databaseUrl, start, end }: Outage): Promise<void> {
  const service = await Service.start({
    databaseUrl,
    settings: { DATABASE_STATEMENT_TIMEOUT: '1000' },
  })
  const create = (name: string) =>
    service.ask({ method: 'POST', path: '/v1/pets', body: JSON.stringify({ name, categoryId: 1 }) })
  expect((await create('before'))?.status).toBe(201)
  await start()
  // On connections that were open before, the outcome may be unknown.
  await create('between')
  const during = await Promise.all([
    ...Array.from({ length: 5 }, () => service.ask({ path: '/v1/pets' })),
    ...Array.from({ length: 5 }, () => service.ask({ path: '/v1/pets/1' })),
    ...Array.from({ length: 5 }, () => create('during')),
  ])
  // Its result is shared for a second.
  await until(
    'it is not ready',
    async () => (await service.ask({ path: '/readyz' }))?.status === 503,
  )
  const alive = await service.ask({ path: '/livez' })
  await end()
  for (const response of during) {
    expect(response).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
    })
    expect(JSON.parse(response?.text ?? '')).toMatchObject({
      code: 'service_unavailable',
      status: 503,
    })
  }
  expect(alive?.status).toBe(200)
  await until(
    'the service works again',
    async () => (await service.ask({ path: '/v1/pets' }))?.status === 200,
  )
  expect((await create('after'))?.status).toBe(201)
  let log = ''
  await until('its log says that it is ready', async () => {
    await service.ask({ path: '/readyz' })
    log = await readFile(join(service.folder, 'service.log'), 'utf8')
    return log.includes('"msg":"ready again"')
  })
  const messages = (level: number) =>
    [...log.matchAll(new RegExp(`"level":${level},.*"msg":"(.*)"`, 'g'))].map(([, text]) => text)
  expect(messages(50)).toEqual(['not ready'])
  expect(new Set(messages(40))).toEqual(new Set(['the database is unavailable']))
  const names = (await listAllPets(service)).map(({ name }) => name)
  report(`unavailable: ${what}`, { responses: during.length, stored: names.length })
  expect(names.filter((name) => name !== 'between')).toEqual(['before', 'after'])
}
