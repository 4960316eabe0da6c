import { expect, it, onTestFinished } from 'vitest'
import { useDatabase } from '../testing/temporary-database.test-support.ts'
import { openPostgresConnections } from './connections.ts'

const database = useDatabase()

it('Reads of one turn share a connection, and those of the next one use another', async () => {
  const connections = await openPostgresConnections({ url: database.url })
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
})
