import { until } from '@pet-store/testing'
import { runSql, startReplicatedServer } from '@pet-store/testing-postgres'
import { expect, it, onTestFinished } from 'vitest'
import { openProxy } from '../harness/database.ts'
import { randomOf, report, size } from '../harness/experiment.ts'
import { figures, Ledger, NOTHING_WRONG } from '../harness/ledger.ts'
import { listAllPets } from '../harness/list-all-pets.ts'
import { Service } from '../harness/service.ts'
import { startMixedWriters, untilMore } from '../harness/writers.ts'

const ROUNDS = size(1, 5)

it('no pet is lost or duplicated when a standby is promoted', async () => {
  const name = 'failover'
  randomOf(name)
  for (let round = 0; round < ROUNDS; round += 1) {
    const { primary, standby, stop } = await startReplicatedServer()
    onTestFinished(stop)
    // Without this a commit is acknowledged before the standby has it, and a failover loses it,
    // whatever the service does.
    await runSql(primary.url, "alter system set synchronous_standby_names = '*'")
    await runSql(primary.url, 'select pg_reload_conf()')
    // The address that clients know moves from one server to the other, as a virtual address or a
    // name does.
    const proxy = await openProxy(primary.url)
    const service = await Service.start({
      databaseUrl: proxy.url,
      settings: { DATABASE_STATEMENT_TIMEOUT: '1000' },
    })
    const ledger = new Ledger()
    const writers = startMixedWriters({ service, ledger, writers: 16, prefix: 'pet' })
    await untilMore(ledger, 200)
    await primary.stop('immediate')
    proxy.moveTo(standby.url)
    const start = Date.now()
    await runSql(standby.url, 'select pg_promote()')
    await untilMore(ledger, 50)
    const recoveryMs = Date.now() - start
    await writers.stop()
    const findings = ledger.compare(await listAllPets(service))
    report(name, { ...figures(findings), recoveryMs })
    expect(findings).toMatchObject(NOTHING_WRONG)
  }
})

it('the service is not ready while its database is a standby', async () => {
  const { primary, standby, catchUp, stop } = await startReplicatedServer()
  onTestFinished(stop)
  const proxy = await openProxy(primary.url)
  const service = await Service.start({ databaseUrl: proxy.url })
  await catchUp()
  proxy.moveTo(standby.url)
  const readiness = async () => (await service.ask({ path: '/readyz' }))?.status
  await until('the service is not ready', async () => (await readiness()) === 503)
  const created = await service.ask({
    method: 'POST',
    path: '/v1/pets',
    body: '{"name":"Rex","categoryId":1}',
  })
  expect(created?.status).toBe(503)
  // A standby may lack pets that were acknowledged.
  expect((await service.ask({ path: '/v1/pets' }))?.status).toBe(503)
  await runSql(standby.url, 'select pg_promote()')
  await until('the service is ready', async () => (await readiness()) === 200)
})
