import { persistenceUnavailable } from '@pet-store/domain'
import { GroupedStatements, type NewPetColumns } from '@pet-store/persistence-mikro-orm'
import pg from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import { insertGroup } from './grouped-writes.ts'

const reported = (code: string) =>
  Object.assign(new pg.DatabaseError('no', 2, 'error'), { code, severity: 'ERROR' })

/** The id that a pet with this name gets. */
const idOf = (name: string) => BigInt(`0x${Buffer.from(name).toString('hex')}`)

/** Inserts look at the name alone. */
const rowOf = (name: string) => [name] as unknown as NewPetColumns

/** The names of the rows of each insert. */
let ran: string[][]
/** Fails inserts of several rows. */
let failure: Error | undefined
let onInsert: () => void

beforeEach(() => {
  ;[ran, failure, onInsert] = [[], undefined, () => {}]
})

async function insert(rows: readonly NewPetColumns[]): Promise<bigint[]> {
  const names = rows.map(([name]) => name)
  ran.push(names)
  onInsert()
  if (failure !== undefined && rows.length > 1) throw failure
  if (names.includes('bad')) throw reported('23514')
  return names.map(idOf)
}

/** Adds pets in one turn. */
function addAll(names: readonly string[], cancellation?: { aborted: boolean }) {
  const writes = new GroupedStatements<NewPetColumns, bigint>((take) => insertGroup(insert, take()))
  return Promise.allSettled(names.map((name) => writes.add(rowOf(name), [name], cancellation)))
}

const added = (name: string) => ({ status: 'fulfilled', value: idOf(name) })

describe('Inserts of a group', () => {
  it('inserts of a group are one statement, and each gets its own id', async () => {
    expect(await addAll(['a', 'b', 'c'])).toEqual(['a', 'b', 'c'].map(added))
    expect(ran).toEqual([['a', 'b', 'c']])
  })

  it.each(['22021', '23514', 'P0001', 'SHOP1'])(
    'inserts of a group run one by one after SQLSTATE %s, and an invalid one fails alone',
    async (code) => {
      failure = reported(code)
      const rejected = { status: 'rejected', reason: { code: '23514' } }
      expect(await addAll(['a', 'bad', 'c'])).toMatchObject([added('a'), rejected, added('c')])
    },
  )

  it.each([
    ['the connection is lost', persistenceUnavailable({ outcome: 'unknown' })],
    ['the result is damaged', new Error('bad record mac')],
    ['a table is missing', persistenceUnavailable({ cause: reported('42P01') })],
  ])('inserts of a group are all rejected, and not repeated, when %s', async (_, error) => {
    failure = error
    const rejected = { status: 'rejected', reason: error }
    expect(await addAll(['a', 'b'])).toEqual([rejected, rejected])
    expect(ran).toHaveLength(1)
  })

  it('inserts one by one stop when the connection is lost, and the group rejects', async () => {
    failure = reported('23514')
    const lost = persistenceUnavailable({ outcome: 'unknown', cause: new Error('ECONNRESET') })
    onInsert = () => {
      if (ran.length === 3) throw lost
    }
    let thrown: unknown
    const writes = new GroupedStatements<NewPetColumns, bigint>((take) =>
      insertGroup(insert, take()).catch((error: unknown) => {
        thrown = error
        throw error
      }),
    )
    const adding = ['a', 'b', 'c', 'd'].map((name) => writes.add(rowOf(name), [name]))
    const notSent = { status: 'rejected', reason: { outcome: 'not_stored' } }
    expect(await Promise.allSettled(adding)).toMatchObject([
      added('a'),
      { status: 'rejected', reason: lost },
      notSent,
      notSent,
    ])
    expect(ran).toEqual([['a', 'b', 'c', 'd'], ['a'], ['b']])
    await expect.poll(() => thrown).toBe(lost)
  })

  it('inserts that were cancelled do not run by themselves after their group failed', async () => {
    failure = reported('23514')
    const cancellation = { aborted: false }
    onInsert = () => {
      cancellation.aborted = ran.length === 2
    }
    const cancelled = { status: 'rejected', reason: { outcome: 'not_stored' } }
    expect(await addAll(['a', 'b'], cancellation)).toMatchObject([added('a'), cancelled])
    expect(ran).toEqual([['a', 'b'], ['a']])
  })
})
