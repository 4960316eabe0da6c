// Each alert of deploy/prometheus/alerts.yml is raised by its cause, in Prometheus itself.
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createApiKeyText } from '@pet-store/access'
import { ask, type FaultyProxy, until } from '@pet-store/testing'
import { freePort, runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { expect } from 'vitest'
import { emptyDatabase, openProxy } from '../harness/database.ts'
import { itLong, report } from '../harness/experiment.ts'
import { flood, petBody } from '../harness/load.ts'
import { type Prometheus, startPrometheus } from '../harness/prometheus.ts'
import { Service, type ServiceOptions } from '../harness/service.ts'
import { mountSmallDisk } from '../harness/small-disk.ts'

/** Two instances that Prometheus scrapes. Clients use the first. */
interface Installation {
  readonly first: Service
  readonly second: Service
  /** The proxy between each service and the database. */
  readonly proxies: readonly FaultyProxy[]
  readonly databaseUrl: string
  readonly prometheus: Prometheus
  /** Whether the alert has fired, so that the cause may end. */
  readonly isOver: () => boolean
}

interface Cause extends Pick<ServiceOptions, 'settings' | 'output'> {
  readonly alert: string
  readonly cause: string
  /** Lasts until the alert has fired, if it would not stay by itself. */
  readonly run: (installation: Installation) => Promise<unknown>
}

/** Statements that wait for a lock fail before their request counts as slow. */
const SHORT_STATEMENTS = { DATABASE_STATEMENT_TIMEOUT: '300' }

const CAUSES: readonly Cause[] = [
  {
    alert: 'PetStoreDown',
    cause: 'an instance is killed',
    run: ({ second }) => second.end('SIGKILL'),
  },
  {
    alert: 'PetStoreNotReady',
    cause: 'the database is closed, and the balancer sends no requests',
    run: async ({ proxies }) => {
      for (const proxy of proxies) proxy.set('reset')
    },
  },
  {
    alert: 'PetStoreInstanceNotReady',
    cause: 'one instance cannot reach the database',
    run: async ({ proxies: [, proxy] }) => proxy?.set('reset'),
  },
  {
    alert: 'PetStoreRestarts',
    cause: 'an instance is killed again and again',
    run: async ({ second, prometheus, isOver }) => {
      const starts = () => prometheus.value('sum(process_start_time_seconds{job="pet-store"})')
      while (!isOver()) {
        const before = await starts()
        await second.end('SIGKILL')
        await second.start()
        await until('the start is seen', async () => isOver() || (await starts()) !== before)
      }
    },
  },
  {
    alert: 'PetStoreErrorBudgetBurnsFast',
    cause: 'a lock on a table fails 2% of the requests',
    settings: SHORT_STATEMENTS,
    run: (installation) =>
      whileLocked(installation, 'pet in share mode', Infinity, () => send(installation, 49)),
  },
  {
    alert: 'PetStoreErrorBudgetBurnsSlowly',
    cause: 'a lock on a table fails 0.4% of the requests',
    settings: SHORT_STATEMENTS,
    run: (installation) =>
      whileLocked(installation, 'pet in share mode', Infinity, () => send(installation, 249)),
  },
  {
    alert: 'PetStoreLatencyBudgetBurnsFast',
    cause: 'locks on a table delay 20% of the requests',
    run: (installation) =>
      whileLocked(installation, 'pet in share mode', 900, () => send(installation, 4)),
  },
  {
    alert: 'PetStoreLatencyBudgetBurnsSlowly',
    cause: 'locks on a table delay 4% of the requests',
    run: (installation) =>
      whileLocked(installation, 'pet in share mode', 900, () => send(installation, 24)),
  },
  {
    alert: 'PetStoreKeyChecksFail',
    cause: 'the table of API keys is locked, which 0.3% of the requests need',
    settings: SHORT_STATEMENTS,
    run: (installation) =>
      whileLocked(installation, 'api_key in access exclusive mode', Infinity, async () => {
        await read(installation, 299)
        await ask(installation.first.port, { path: '/v1/pets', key: createApiKeyText() })
      }),
  },
  {
    alert: 'PetStoreQueueWaits',
    cause: 'locks on a table occupy the only connection',
    settings: { DATABASE_POOL_SIZE: '1' },
    run: (installation) =>
      whileLocked(installation, 'pet in share mode', 150, () =>
        Promise.all([
          flood(installation.first, { requests: 100, connections: 8 }),
          flood(installation.first, { requests: 100, connections: 8, path: LIST }),
        ]),
      ),
  },
  {
    alert: 'PetStorePersistenceSlow',
    cause: 'locks on a table delay each creation, by less than half a second',
    run: (installation) =>
      whileLocked(installation, 'pet in share mode', 400, () =>
        flood(installation.first, { requests: 10, connections: 1 }),
      ),
  },
  {
    alert: 'PetStoreEventLoopLag',
    cause: 'the processor is taken away for 200 ms at a time, as by a limit of a container',
    run: async ({ second, isOver }) => {
      while (!isOver()) {
        process.kill(second.process.pid, 'SIGSTOP')
        await wait(200)
        process.kill(second.process.pid, 'SIGCONT')
        await wait(200)
      }
    },
  },
  {
    alert: 'PetStoreLogLinesDropped',
    cause: 'nobody reads the log',
    output: 'pipe',
    run: async (installation) => {
      while (!installation.isOver()) await read(installation, 5_000)
    },
  },
  {
    alert: 'PetStoreBackgroundWorkFails',
    cause: 'expired idempotency keys cannot be deleted',
    run: async ({ databaseUrl, first }) => {
      await runSql(databaseUrl, NO_DELETION)
      const headers = { 'Idempotency-Key': 'one' }
      return first.ask({ method: 'POST', path: '/v1/pets', body: petBody(1), headers })
    },
  },
  {
    alert: 'PetStoreKeysGuessed',
    cause: 'somebody tries many API keys',
    run: async ({ first, isOver }) => {
      while (!isOver()) {
        const keys = Array.from({ length: 20 }, createApiKeyText)
        await Promise.all(keys.map((key) => ask(first.port, { path: '/v1/pets', key })))
      }
    },
  },
  {
    alert: 'PetStoreDeprecatedUse',
    cause: 'a client uses getPet',
    run: ({ first }) => first.ask({ path: '/v1/pets/1' }),
  },
]

const LIST = '/v1/pets?limit=1'

const NO_DELETION = `
  create function forbid() returns trigger language plpgsql
    as $$ begin raise 'deleting is forbidden'; end $$;
  create trigger no_deletion before delete on idempotency_key
    for each statement execute function forbid()`

function read({ first }: Installation, requests: number) {
  return flood(first, { requests, connections: 8, path: LIST })
}

/** Lists pets this many times, then creates one. */
async function send(installation: Installation, lists: number): Promise<void> {
  await read(installation, lists)
  await flood(installation.first, { requests: 1, connections: 1 })
}

/**
 * Repeats some work until the alert has fired, while a lock is held for `heldMs` at a time. It is
 * taken again as soon as those that waited for it were served.
 */
async function whileLocked(
  { databaseUrl, isOver }: Installation,
  lock: string,
  heldMs: number,
  work: () => Promise<unknown>,
): Promise<void> {
  const locker = new pg.Client({ connectionString: databaseUrl })
  await locker.connect()
  const locking = (async () => {
    while (!isOver()) {
      const end = performance.now() + heldMs
      await locker.query(`begin; lock table ${lock}`)
      while (!isOver() && performance.now() < end) await wait(10)
      await locker.query('rollback')
    }
    await locker.end()
  })()
  while (!isOver()) await work()
  await locking
}

/** Starts two instances, and a Prometheus that scrapes them, if it is installed. */
async function install(
  databaseUrls: readonly [string, string],
  { settings, output }: Partial<Cause>,
): Promise<{ first: Service; second: Service; prometheus: Prometheus | undefined }> {
  const ports = [await freePort(), await freePort()] as const
  const start = (index: 0 | 1, options: Partial<ServiceOptions>) =>
    Service.start({
      databaseUrl: databaseUrls[index],
      settings: { ...settings, METRICS_PORT: String(ports[index]) },
      ...options,
    })
  const first = await start(0, output === undefined ? {} : { output })
  const second = await start(1, {})
  return { first, second, prometheus: await startPrometheus(ports) }
}

/** Waits for the alert of a cause, and expects that it wakes nobody for anything else. */
async function expectAlert(
  { alert, cause }: Pick<Cause, 'alert' | 'cause'>,
  prometheus: Prometheus,
  run: (isOver: () => boolean) => Promise<unknown>,
): Promise<void> {
  const namesOf = async () => (await prometheus.fired()).map(({ name }) => name)
  await prometheus.evaluate(2)
  expect(await namesOf()).toEqual([])
  let isOver = false
  const startedAt = performance.now()
  const running = run(() => isOver)
  try {
    await until(`${alert} fires`, async () => (await namesOf()).includes(alert))
  } finally {
    isOver = true
    await running
  }
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  await prometheus.evaluate(2)
  const fired = await prometheus.fired()
  const others = fired.filter(({ name }) => name !== alert)
  const besides = others.map(({ name, severity }) => `${name} (${severity})`).join(' ')
  report(`${alert}: ${cause}`, { seconds, besides: besides === '' ? 'none' : besides })
  expect(others.filter(({ severity }) => severity === 'page')).toEqual([])
}

itLong.for(CAUSES)('$alert fires when $cause', async (cause, { skip }) => {
  const databaseUrl = await emptyDatabase('PostgreSQL')
  const proxies = [await openProxy(databaseUrl), await openProxy(databaseUrl)] as const
  const { prometheus, ...services } = await install([proxies[0].url, proxies[1].url], cause)
  if (prometheus === undefined) return skip('needs prometheus')
  const installation = { ...services, prometheus, proxies, databaseUrl }
  await expectAlert(cause, prometheus, (isOver) => cause.run({ ...installation, isOver }))
})

itLong('PetStoreNotReady fires when the disk of SQLite is full', async ({ skip }) => {
  const disk = await mountSmallDisk(4, skip)
  const url = `sqlite:${join(disk, 'pets.db')}`
  const { prometheus, ...services } = await install([url, url], {})
  if (prometheus === undefined) return skip('needs prometheus')
  const alert = 'PetStoreNotReady'
  await expectAlert({ alert, cause: 'the disk is full' }, prometheus, async (isOver) => {
    const installation = { ...services, prometheus, proxies: [], databaseUrl: url, isOver }
    await writeFile(join(disk, 'ballast'), Buffer.alloc(4 * 2 ** 20)).catch(() => {})
    // Creations are few beside lists: one each, because a load balancer then sends nothing.
    await read(installation, 5_000)
    for (const instance of [services.first, services.second])
      await flood(instance, { requests: 1, connections: 1 })
    await until('the alert fires', isOver)
  })
})

itLong('every alert of the rules has a cause here', () => {
  const rules = readFileSync(
    new URL('../../../../deploy/prometheus/alerts.yml', import.meta.url),
    'utf8',
  )
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  expect(CAUSES.map(({ alert }) => alert).toSorted()).toEqual(alerts.toSorted())
})
