import { spawn } from 'node:child_process'
import { closeSync, openSync, statSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { report, size } from '../harness/experiment.ts'
import { flood } from '../harness/load.ts'
import { Service } from '../harness/service.ts'
import { mountSmallDisk } from '../harness/small-disk.ts'

const REQUESTS = size(5_000, 400_000)
/** About what the process takes for itself, and the bound of the log. */
const MAX_GROWTH_MIB = 96
const SETTINGS = { SHUTDOWN_TIMEOUT: '5s' }
const DATABASE = 'sqlite:./pets.db'

/** Sends many requests, all of which are to be served although their log lines go nowhere. */
async function serve(name: string, service: Service): Promise<void> {
  const before = service.process.memoryMiB('VmRSS')
  const { statuses } = await flood(service, {
    requests: REQUESTS,
    connections: 16,
    path: '/v1/pets?limit=1',
  })
  const growthMiB = Math.round(service.peakMiB - before)
  report(name, { requests: REQUESTS, growthMiB })
  expect(statuses).toEqual({ 200: REQUESTS })
  expect(growthMiB).toBeLessThan(MAX_GROWTH_MIB)
}

/** By itself: after SHUTDOWN_TIMEOUT it ends with exit code 1. */
async function stop(service: Service): Promise<void> {
  expect([0, 1]).toContain(await service.end('SIGTERM'))
}

it('the service goes on while the disk of its log is full, and logs again later', async ({
  skip,
}) => {
  const disk = await mountSmallDisk(1, skip)
  const path = join(disk, 'service.log')
  const output = openSync(path, 'a')
  const service = await Service.start({ databaseUrl: DATABASE, settings: SETTINGS, output })
  closeSync(output)
  const ballast = join(disk, 'ballast')
  await writeFile(ballast, Buffer.alloc(900 * 1024))
  await serve('log on a full disk', service)
  // Before there is space: the lines that wait may fill it at once.
  const length = statSync(path).size
  await rm(ballast)
  await until('the log grows again', async () => {
    await service.ask({ path: '/v1/pets' })
    return statSync(path).size > length
  })
  // Full again, as far as there is space.
  await writeFile(ballast, Buffer.alloc(1024 * 1024)).catch(() => {})
  await service.ask({ path: '/v1/pets' })
  await stop(service)
})

it('the service goes on when nobody reads the pipe of its log', async () => {
  const service = await Service.start({ databaseUrl: DATABASE, settings: SETTINGS, output: 'pipe' })
  await serve('log to a pipe that nobody reads', service)
  await stop(service)
})

it('the service goes on when the pipe of its log is closed', async () => {
  // The reader ends after the first line.
  const reader = spawn('head', ['-n', '1'], { stdio: ['pipe', 'ignore', 'ignore'] })
  const service = await Service.start({
    databaseUrl: DATABASE,
    settings: SETTINGS,
    output: reader.stdin,
  })
  reader.stdin.destroy()
  await serve('log to a closed pipe', service)
  await stop(service)
})

it('the service ends at once on the second signal while nobody reads its log', async () => {
  const service = await Service.start({
    databaseUrl: DATABASE,
    settings: { SHUTDOWN_DELAY: '59s', SHUTDOWN_TIMEOUT: '60s' },
    output: 'pipe',
  })
  await flood(service, { requests: 5_000, connections: 16, path: '/v1/pets?limit=1' })
  process.kill(service.process.pid, 'SIGTERM')
  await until(
    'it is stopping',
    async () => (await service.ask({ path: '/readyz' }))?.status === 503,
  )
  expect(await service.end('SIGTERM')).not.toBe(0)
})
