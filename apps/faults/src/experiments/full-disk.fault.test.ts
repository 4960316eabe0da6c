import { chown, mkdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '@pet-store/testing'
import { EmbeddedServer, runSql } from '@pet-store/testing-postgres'
import { expect, it, onTestFinished } from 'vitest'
import { postgresFlags } from '../harness/database.ts'
import { report } from '../harness/experiment.ts'
import { figures, Ledger, NOTHING_WRONG } from '../harness/ledger.ts'
import { listAllPets } from '../harness/list-all-pets.ts'
import { Service } from '../harness/service.ts'
import { mountSmallDisk } from '../harness/small-disk.ts'
import { startMixedWriters, untilMore } from '../harness/writers.ts'

const DISK_MIB = 32
/** What is left on the disk for pets. */
const SPACE_BYTES = 512 * 1024

it.for(['SQLite', 'PostgreSQL'])(
  'a full disk of %s rejects pets, and makes the service not ready; reads go on',
  async (database, { skip }) => {
    const disk = await mountSmallDisk(DISK_MIB, skip)
    const service = await (database === 'SQLite'
      ? Service.start({ databaseUrl: `sqlite:${disk}/pets.db` })
      : startOnTablespace(disk))
    const readiness = async () => (await service.ask({ path: '/readyz' }))?.status
    const ballast = join(disk, 'ballast')
    const { bavail, bsize } = await statfs(disk)
    await writeFile(ballast, Buffer.alloc(bavail * bsize - SPACE_BYTES))
    const ledger = new Ledger()
    const writers = startMixedWriters({ service, ledger, writers: 8, prefix: 'full' })
    await until('pets are rejected', () => ledger.rejected > 100)
    await until('the service is not ready', async () => (await readiness()) === 503)
    expect((await service.ask({ path: '/v1/pets' }))?.status).toBe(200)
    await rm(ballast)
    await untilMore(ledger, 50)
    await writers.stop()
    await until('the service is ready', async () => (await readiness()) === 200)
    const findings = ledger.compare(await listAllPets(service))
    report(`full disk under ${database}`, figures(findings))
    expect(findings).toMatchObject(NOTHING_WRONG)
  },
)

/** Starts a service on a server whose table of pets is on this disk, and everything else is not. */
async function startOnTablespace(disk: string): Promise<Service> {
  const server = await EmbeddedServer.create()
  onTestFinished(async () => {
    await server.stop('immediate')
    await server.remove()
  })
  await server.start(postgresFlags())
  const service = await Service.start({ databaseUrl: server.url })
  const folder = join(disk, 'tablespace')
  await mkdir(folder)
  // Its owner must be the user of the server, who is not root.
  const { uid, gid } = await stat(server.dataFolder)
  await chown(folder, uid, gid)
  await runSql(server.url, `create tablespace small location '${folder}'`)
  for (const change of ['table pet', 'index pet_pkey', 'index pet_status_id'])
    await runSql(server.url, `alter ${change} set tablespace small`)
  return service
}
