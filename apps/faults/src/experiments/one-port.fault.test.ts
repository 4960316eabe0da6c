// Several processes on one port, which are replaced one after the other without a proxy.
import { readFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { createApiKeyText, hashApiKey } from '@pet-store/access'
import { ask, until } from '@pet-store/testing'
import { freePort } from '@pet-store/testing-postgres'
import { expect, it } from 'vitest'
import { emptyDatabase } from '../harness/database.ts'
import { report, size } from '../harness/experiment.ts'
import { ProxiedClients } from '../harness/proxied-clients.ts'
import { Service } from '../harness/service.ts'

/** Whether the kernel hands waiting connections over to the other processes. */
async function migratesConnections(): Promise<boolean> {
  const setting = '/proc/sys/net/ipv4/tcp_migrate_req'
  return (await readFile(setting, 'utf8').catch(() => '0')).trim() === '1'
}

/** Starts an instance, and waits as docs/how-to/operate.md does. */
async function startInstance(instance: Service, metricsPort: number): Promise<void> {
  await instance.start()
  await until(
    'the instance responds on its metrics port',
    async () =>
      (await ask(metricsPort, { path: '/metrics' }).catch(() => undefined))?.status === 200,
  )
}

/** An instance that gets no processor at the moment when it stops resets more connections. */
const RUNS = 3

it('restarts on one port fail no request on a kept connection', async ({ skip }) => {
  if (process.platform !== 'linux') skip('needs Linux')
  const restarts = size(4, 20)
  const mostResets = (await migratesConnections()) ? 0 : restarts
  const resets: number[] = []
  while (resets.length < RUNS && !resets.some((count) => count <= mostResets)) {
    const { ofKept, ofFresh } = await restartUnderLoad(restarts)
    expect(Object.keys(ofKept).toSorted()).toEqual(['200', '201'])
    // In the moment between the last connection that is accepted and the end of the queue.
    const { 200: _listed, 201: _created, ECONNRESET: ofRun = 0, ...others } = ofFresh
    expect(others).toEqual({})
    resets.push(ofRun)
  }
  expect(Math.min(...resets)).toBeLessThanOrEqual(mostResets)
})

/** Restarts two instances in turn, and returns how the requests of their clients have ended. */
async function restartUnderLoad(restarts: number) {
  const key = createApiKeyText()
  const port = await freePort()
  const databaseUrl = await emptyDatabase('PostgreSQL')
  const instances = []
  for (let count = 0; count < 2; count += 1) {
    const metricsPort = await freePort()
    const settings = {
      API_KEYS_SHA256: `one-port=${hashApiKey(key)}`,
      REUSE_PORT: 'true',
      METRICS_PORT: String(metricsPort),
    }
    const instance = await Service.prepare({ databaseUrl, settings, port })
    await startInstance(instance, metricsPort)
    instances.push({ instance, metricsPort })
  }
  const agent = new Agent({ keepAlive: true })
  const kept = new ProxiedClients(port, key)
  const fresh = new ProxiedClients(port, key)
  kept.start(10, agent)
  fresh.start(10)
  for (let count = 0; count < restarts; count += 1) {
    const { instance, metricsPort } = instances[count % 2] ?? instances[0] ?? {}
    if (instance === undefined || metricsPort === undefined)
      throw new Error('There is no instance.')
    expect(await instance.end('SIGTERM')).toBe(0)
    await startInstance(instance, metricsPort)
  }
  const ofKept = await kept.stop()
  const ofFresh = await fresh.stop()
  agent.destroy()
  const migrates = await migratesConnections()
  report('restarts on one port, kept connections', { restarts, ...ofKept })
  report('restarts on one port, fresh connections', {
    restarts,
    migrateReq: Number(migrates),
    ...ofFresh,
  })
  await Promise.all(instances.map(({ instance }) => instance.end('SIGTERM')))
  return { ofKept, ofFresh }
}
