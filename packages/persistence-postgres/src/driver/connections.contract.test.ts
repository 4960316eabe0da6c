import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { POOLERS } from '../database/settings.ts'
import { useDatabase } from '../testing/temporary-database.test-support.ts'
import { openPostgresConnections } from './connections.ts'

const database = useDatabase()

it.each(POOLERS)(
  'reads of one turn share a connection, those of the next use another (%s)',
  async (pooler) => {
    const connections = await openPostgresConnections({ url: database.url, pooler })
    onTestFinished(() => connections.close())
    const pids = async () => {
      const reads = Array.from({ length: 10 }, () =>
        connections.read({ text: 'select pg_backend_pid()' }, []),
      )
      return new Set((await Promise.all(reads)).flat(2))
    }
    const first = await pids()
    const second = await pids()
    expect([first.size, second.size]).toEqual([1, 1])
    expect(first).not.toEqual(second)
  },
)

it.each([
  ['none', 0],
  ['transaction', 1],
  ['transaction-unprepared', 1],
] as const)(
  'with the pooler %s, %i of three reads waits for those before it',
  async (pooler, waiting) => {
    const connections = await openPostgresConnections({ url: database.url, pooler })
    onTestFinished(() => connections.close())
    // Opens both connections.
    for (const _ of [1, 2]) await connections.read({ text: 'select 1' }, [])
    const reads: Promise<unknown>[] = []
    while (reads.length < 3) {
      reads.push(connections.read({ text: 'select pg_sleep(1)' }, []))
      await setImmediate()
      await setImmediate()
    }
    expect(connections.use('').waiting).toBe(waiting)
    await Promise.all(reads)
  },
)
