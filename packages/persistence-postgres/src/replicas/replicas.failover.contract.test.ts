import type { Pet } from '@pet-store/domain'
import { aNewPet } from '@pet-store/persistence-testing'
import { createDatabase, EmbeddedServer, runSql } from '@pet-store/testing-postgres'
import { expect, it, onTestFinished } from 'vitest'
import { migratePostgres } from '../migrations.ts'
import { openPostgresPersistence, type PostgresPersistence } from '../open-persistence.ts'
import { servedByReplica } from '../testing/replicated-database.test-support.ts'

// No test of these servers simulates a power failure.
const FLAGS = ['-c', 'fsync=off']
const LOST_PETS = 20

/** Removes the server at the end of the test. */
function removeLater(server: EmbeddedServer): EmbeddedServer {
  onTestFinished(async () => {
    await server.stop()
    await server.remove()
  })
  return server
}

async function createStandbyOf(primary: EmbeddedServer): Promise<EmbeddedServer> {
  return removeLater(await primary.createStandby())
}

/** The same database on another server, for another user. */
function urlOn(server: EmbeddedServer, databaseUrl: string, username = 'postgres'): string {
  return Object.assign(new URL(databaseUrl), { port: server.port, username }).href
}

async function open(url: string, replicaUrl: string): Promise<PostgresPersistence> {
  const opened = await openPostgresPersistence({ url, replicaUrls: [replicaUrl] })
  onTestFinished(() => opened.close())
  return opened
}

async function addPets(url: string, name: string): Promise<readonly Pet[]> {
  const { pets, close } = await openPostgresPersistence({ url })
  const added: Pet[] = []
  while (added.length < LOST_PETS) added.push(await pets.add(aNewPet({ name })))
  await close()
  return added
}

/** A server with a migrated database. */
async function startPrimary(): Promise<{ primary: EmbeddedServer; url: string }> {
  const primary = removeLater(await EmbeddedServer.create())
  await primary.start(FLAGS)
  const { url } = await createDatabase(primary.url)
  await migratePostgres({ url })
  return { primary, url }
}

async function logEnd(url: string): Promise<string> {
  const [end] = await runSql<{ lsn: string }>(url, 'select pg_current_wal_lsn() as lsn')
  return end?.lsn ?? ''
}

/** Waits until the standby shows everything that the primary has committed. */
async function catchUp(standbyUrl: string, primaryUrl: string): Promise<void> {
  const sql = `select pg_last_wal_replay_lsn() >= '${await logEnd(primaryUrl)}' as "isThere"`
  await expect.poll(() => runSql(standbyUrl, sql)).toEqual([{ isThere: true }])
}

it('a replica with pets that the promoted standby has not received serves no lists', async () => {
  const { primary, url } = await startPrimary()
  const replica = await createStandbyOf(primary)
  const promoted = await createStandbyOf(primary)
  const newUrl = urlOn(promoted, url)
  for (const standby of [replica, promoted]) await standby.start(FLAGS)
  await catchUp(newUrl, url)
  await promoted.stop()
  await addPets(url, 'lost')
  // So that the new primary writes less than the replica has replayed.
  await runSql(url, 'select pg_switch_wal()')
  await catchUp(urlOn(replica, url), url)
  await primary.stop('immediate')
  await promoted.start(FLAGS)
  await runSql(newUrl, 'select pg_promote()')
  const kept = await addPets(newUrl, 'kept')

  const opened = await open(newUrl, urlOn(replica, url))
  const problem = /serves no lists: .*timeline .* is 1, that of the primary 2/
  await expect.poll(() => opened.replicaProblems()).toEqual([expect.stringMatching(problem)])
  // In three seconds a replica becomes complete.
  for (const end = Date.now() + 3_000; Date.now() < end; )
    expect(await opened.pets.list({ limit: LOST_PETS })).toEqual(kept)
  expect(opened.replicaWatermarks()).toEqual([undefined])
})

it('a replica that follows the promoted standby serves lists', async () => {
  const { primary, url } = await startPrimary()
  await runSql(url, 'create user reader')
  await runSql(url, 'grant select on all tables in schema public to reader')
  const promoted = await createStandbyOf(primary)
  const replica = await createStandbyOf(primary)
  await promoted.start(FLAGS)
  await replica.start(FLAGS)
  const newUrl = urlOn(promoted, url)
  const replicaUrl = urlOn(replica, url)
  for (const standbyUrl of [newUrl, replicaUrl]) await catchUp(standbyUrl, url)
  await primary.stop('immediate')
  await runSql(newUrl, 'select pg_promote()')
  await runSql(
    replicaUrl,
    `alter system set primary_conninfo = 'host=127.0.0.1 port=${promoted.port} user=postgres'`,
  )
  await runSql(replicaUrl, "alter system set primary_slot_name = ''")
  await runSql(replicaUrl, 'select pg_reload_conf()')

  // A superuser reads the state of the WAL receiver.
  const opened = await open(newUrl, replicaUrl)
  await servedByReplica(await opened.pets.add(aNewPet()), opened)

  // Another user knows the timeline of a replica from its last checkpoint.
  const limited = await open(newUrl, urlOn(replica, url, 'reader'))
  await expect
    .poll(() => limited.replicaProblems())
    .toEqual([expect.stringMatching(/ is 1, that of the primary 2/)])
  await runSql(newUrl, 'checkpoint')
  await catchUp(replicaUrl, newUrl)
  await runSql(replicaUrl, 'checkpoint')
  await servedByReplica(await limited.pets.add(aNewPet()), limited)
  expect(await limited.replicaProblems()).toEqual([])
})
