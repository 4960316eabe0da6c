import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { aNewPet } from '@pet-store/persistence-testing'
import { temporaryFolder } from '@pet-store/testing'
import { freePort, runSql } from '@pet-store/testing-postgres'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openPostgresPersistence } from './open-persistence.ts'
import { useReplicatedDatabase } from './testing/replicated-database.test-support.ts'

const database = useReplicatedDatabase()

describe('Behind Pgpool-II with a standby', () => {
  beforeEach((context) => {
    if (!isInstalled()) context.skip('needs Pgpool-II, which is not installed (Debian: pgpool2)')
  })

  it('reads that Pgpool-II would send to the standby are rejected', async () => {
    const url = await startPgpool(['load_balance_mode = on'])
    await expect(openPostgresPersistence({ url })).rejects.toThrow(
      'the pooler sends reads to a standby',
    )
  })

  it.each([
    ['load_balance_mode = off'],
    ["load_balance_mode = on\napp_name_redirect_preference_list = 'pet-store:primary'"],
  ])('every read has what was added before, with %s', async (settings) => {
    const { pets, check, close } = await openPostgresPersistence({
      url: await startPgpool([settings]),
    })
    onTestFinished(close)
    await database.server.pause()
    onTestFinished(() => database.server.resume())
    const idempotencyKey = { owner: 'shop', key: 'a', fingerprint: 'a' }
    const { pet } = await pets.addWithKey(aNewPet(), idempotencyKey)
    expect(await pets.addWithKey(aNewPet(), idempotencyKey)).toEqual({ pet, isReplay: true })
    expect(await pets.list({ limit: 9 })).toEqual([pet])
    await check()
  })
})

function isInstalled(): boolean {
  try {
    execFileSync('pgpool', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Starts Pgpool-II in front of the primary and its standby. Returns the URL of the database. */
async function startPgpool(settings: readonly string[]): Promise<string> {
  const folder = await temporaryFolder()
  const { hostname, port: primaryPort, username } = new URL(database.url)
  const [port, commandPort] = [await freePort(), await freePort()]
  const lines = [
    `listen_addresses = '127.0.0.1'`,
    `port = ${port}`,
    `pcp_port = ${commandPort}`,
    `pid_file_name = '${join(folder, 'pgpool.pid')}'`,
    `backend_clustering_mode = 'streaming_replication'`,
    `backend_hostname0 = '${hostname}'`,
    `backend_port0 = ${primaryPort}`,
    `backend_weight0 = 0`,
    `backend_hostname1 = '${hostname}'`,
    `backend_port1 = ${new URL(database.replicaUrl).port}`,
    `backend_weight1 = 1`,
    `sr_check_user = '${username}'`,
    `sr_check_database = 'postgres'`,
    ...settings,
  ]
  for (const kind of ['socket_dir', 'pcp_socket_dir', 'wd_ipc_socket_dir', 'logdir'])
    lines.push(`${kind} = '${folder}'`)
  const files = ['pgpool.conf', 'pcp.conf', 'pool_hba.conf'].map((name) => join(folder, name))
  for (const file of files) await writeFile(file, file === files[0] ? lines.join('\n') : '')
  const args = ['-f', '-F', '-a'].flatMap((option, index) => [option, files[index] ?? ''])
  const pooler = spawn('pgpool', ['-n', ...args], { stdio: 'ignore' })
  onTestFinished(async () => {
    const ended = once(pooler, 'exit')
    pooler.kill('SIGINT')
    await ended
  })
  const url = Object.assign(new URL(database.url), { port: String(port) }).href
  await expect
    .poll(() => runSql(url, 'select 1').catch(() => []), { timeout: 30_000 })
    .toHaveLength(1)
  return url
}
