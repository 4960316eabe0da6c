import { setTimeout } from 'node:timers/promises'
import { runSql, withClient } from './database.ts'
import { EmbeddedServer } from './embedded-server.ts'

/** A running server, and a streaming standby that follows it. */
export interface ReplicatedServer {
  readonly primary: EmbeddedServer
  readonly standby: EmbeddedServer
  /** Which servers these are, for people who read the output of a test run. */
  readonly description: string
  /** Waits until the standby shows everything that the primary has committed. */
  catchUp(): Promise<void>
  /** Stops the standby from replaying what the primary commits. */
  pause(): Promise<void>
  resume(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts an embedded server and its standby. The server of TEST_DATABASE_URL is not used, because
 * it has no standby that tests may pause and stop.
 */
export async function startReplicatedServer(): Promise<ReplicatedServer> {
  // No test of these servers simulates a power failure.
  const flags = ['-c', 'fsync=off']
  const primary = await EmbeddedServer.create()
  await primary.start(flags)
  const standby = await primary.createStandby()
  await standby.start(flags)
  return {
    primary,
    standby,
    description:
      `embedded servers on the ports ${primary.port} and ${standby.port}, even when ` +
      'TEST_DATABASE_URL is set',
    async catchUp() {
      const [end] = await runSql<{ lsn: string }>(primary.url, 'select pg_current_wal_lsn() as lsn')
      await expectSoon(standby.url, `pg_last_wal_replay_lsn() >= '${end?.lsn}'`)
    },
    async pause() {
      await runSql(standby.url, 'select pg_wal_replay_pause()')
      await expectSoon(standby.url, "pg_get_wal_replay_pause_state() = 'paused'")
    },
    async resume() {
      await runSql(standby.url, 'select pg_wal_replay_resume()')
    },
    async stop() {
      for (const server of [standby, primary]) {
        await server.stop()
        await server.remove()
      }
    },
  }
}

/** Resolves when the condition is true; rejects after a minute. */
function expectSoon(url: string, condition: string): Promise<void> {
  return withClient(url, async (client) => {
    for (const end = Date.now() + 60_000; Date.now() < end; await setTimeout(5)) {
      const { rows } = await client.query<{ isTrue: boolean }>(`select ${condition} as "isTrue"`)
      if (rows[0]?.isTrue) return
    }
    throw new Error(`This did not become true within a minute: ${condition}.`)
  })
}
