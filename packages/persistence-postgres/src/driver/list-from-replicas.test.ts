import type { Statement, StatementRunner } from '@pet-store/persistence-mikro-orm'
import { describe, expect, it } from 'vitest'
import { listFromReplicas } from './list-from-replicas.ts'

const LIST: Statement<[limit: number], string> = { name: 'list', sql: '' }
const FIND: Statement<[id: bigint], string> = { name: 'find', sql: '' }
const asItIs = (row: unknown) => row

/** A runner with one row, its own name. */
function runnerNamed(name: string): StatementRunner {
  // The rows of a statement exist for the compiler alone.
  const row = name as never
  return {
    readOne: (_, map) => async () => map(row),
    readAll: (_, map) => async () => [map(row)],
    tryWrite: () => async () => row,
    write: () => async () => row,
  }
}

function replicaNamed(name: string) {
  const replica = { runner: runnerNamed(name), isResting: false, rest: () => {} }
  replica.rest = () => {
    replica.isResting = true
  }
  return replica
}

describe('listFromReplicas', () => {
  it('is the runner of the primary where there is no replica', () => {
    const primary = runnerNamed('primary')
    expect(listFromReplicas(primary, [])).toBe(primary)
  })

  it('takes those that work in turn, and the primary where none does', async () => {
    const replicas = [replicaNamed('a'), replicaNamed('b'), replicaNamed('c')]
    const list = listFromReplicas(runnerNamed('primary'), replicas).readAll(LIST, asItIs)
    const answers = async (count: number) => {
      const rows: unknown[] = []
      while (rows.length < count) rows.push(...(await list([1])))
      return rows.join(' ')
    }

    expect(await answers(6)).toBe('b c a b c a')
    replicas[1]?.rest()
    expect(await answers(4)).toBe('c a c a')
    for (const replica of replicas) replica.rest()
    expect(await answers(2)).toBe('primary primary')
  })

  it('lets one rest that fails, and asks the primary', async () => {
    const replica = replicaNamed('a')
    replica.runner.readAll = () => () => Promise.reject(new Error('lost'))
    const list = listFromReplicas(runnerNamed('primary'), [replica]).readAll(LIST, asItIs)

    expect(await list([1])).toEqual(['primary'])
    expect(replica.isResting).toBe(true)
  })

  it('asks the primary where a replica gives fewer rows than asked for', async () => {
    const list = listFromReplicas(runnerNamed('primary'), [replicaNamed('a')]).readAll(LIST, asItIs)
    expect(await list([2])).toEqual(['primary'])
  })

  it('leaves everything but lists on the primary', async () => {
    const runner = listFromReplicas(runnerNamed('primary'), [replicaNamed('a')])
    expect(await runner.readOne(FIND, asItIs)([1n])).toBe('primary')
    expect(await runner.write(FIND)([1n])).toBe('primary')
    expect(await runner.tryWrite(FIND)([1n])).toBe('primary')
  })
})
