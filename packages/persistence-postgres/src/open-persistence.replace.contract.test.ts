import { runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openPostgresPersistence } from './open-persistence.ts'
import { useDatabase } from './testing/temporary-database.test-support.ts'

const database = useDatabase()

/**
 * An insert of a successor stops after it has looked for another one, and before others find it:
 * indexes are written in the order in which they were created.
 */
const STOP_INSERTS = `
  create function stopped(id text) returns text language plpgsql immutable as $$
    begin perform pg_advisory_xact_lock_shared(42); return id; end $$;
  create index stopped on api_key (stopped(id)) where replaces is not null;
  drop index api_key_replaces;
  create unique index api_key_replaces on api_key (replaces)`
/** One insert has stopped, and another one waits for it. */
const STOPPED = `
  select 1 from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`

it('replace returns false to one of two calls that have both found no successor', async () => {
  const { url } = database
  const { apiKeys, close } = await openPostgresPersistence({
    url,
    mode: 'migrate',
    statementTimeoutMs: 60_000,
  })
  onTestFinished(close)
  const createdAt = new Date()
  const old = { id: 'old', sha256: 'a', name: 'Till', scopes: [], createdAt }
  await apiKeys.add(old)
  await runSql(url, STOP_INSERTS)
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('select pg_advisory_lock(42)')

  const successor = { ...old, id: 'new', sha256: 'b' }
  const calls = [1, 2].map(() => apiKeys.replace('old', successor, createdAt))
  const results = Promise.all(calls)
  await vi.waitFor(async () => expect((await client.query(STOPPED)).rowCount).toBe(2), 10_000)
  await client.query('select pg_advisory_unlock(42)')

  expect((await results).toSorted()).toEqual([false, true])
})
