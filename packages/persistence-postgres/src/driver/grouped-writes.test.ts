import { persistenceUnavailable } from '@pet-store/domain'
import type { WaitingLimits } from '@pet-store/persistence-mikro-orm'
import pg from 'pg'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { GroupedWrites } from './grouped-writes.ts'

const reported = (code: string) => Object.assign(new pg.DatabaseError('no', 2, 'error'), { code, severity: 'ERROR' })

const aPet = (name: string) => [name, 1n, null] as const
/** The id that a pet with this name gets. */
const idOf = (name: string) => BigInt(`0x${Buffer.from(name).toString('hex')}`)

/** The names of the rows of each insert. */
let ran: string[][]
let failure: Error | undefined
let hold: Promise<void> | undefined
/** Until then there is no connection. */
let connected: Promise<void> | undefined

beforeEach(() => {
  ;[ran, failure, hold, connected] = [[], undefined, undefined, undefined]
})

const grouped = (limits?: Partial<WaitingLimits>) =>
  new GroupedWrites(
    async (work) => {
      await connected
      await work(async (rows) => {
        const names = rows.map(([name]) => name)
        ran.push(names)
        await hold
        if (failure !== undefined && rows.length > 1) throw failure
        if (names.includes('bad')) throw reported('23514')
        return names.map((name) => idOf(name))
      })
    },
    { maxStatements: 10_000, maxBytes: 1e9, maxWaitMs: 60_000, ...limits },
  )

/** Lets the groups that were sent wait. */
function holdGroups(): () => void {
  let release = () => {}
  hold = new Promise((resolve) => {
    release = resolve
  })
  return release
}

/** Lets inserts wait for a connection. */
function holdConnection(): { connect(): void; fail(error: Error): void } {
  const ends: { connect?: () => void; fail?: (error: Error) => void } = {}
  connected = new Promise((resolve, reject) => {
    Object.assign(ends, { connect: resolve, fail: reject })
  })
  return ends as Required<typeof ends>
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Sends a group: inserts after it wait. */
async function sendGroup(writes: GroupedWrites): Promise<Promise<bigint>[]> {
  const rows = Array.from('ab', (name) => writes.add(aPet(name)))
  await turn()
  return rows
}

describe('Inserts of one turn', () => {
  it('are one statement, and each gets its own row', async () => {
    const writes = grouped()
    const rows = await Promise.all([writes.add(aPet('a')), writes.add(aPet('b')), writes.add(aPet('c'))])
    expect(rows).toEqual([idOf('a'), idOf('b'), idOf('c')])
    expect(ran).toEqual([['a', 'b', 'c']])
  })

  it.each(['22021', '23514'])('run one by one after SQLSTATE %s, and an invalid one fails alone', async (code) => {
    failure = reported(code)
    const writes = grouped()
    const rows = await Promise.allSettled([writes.add(aPet('a')), writes.add(aPet('bad')), writes.add(aPet('c'))])
    expect(rows).toMatchObject([
      { status: 'fulfilled', value: idOf('a') },
      { status: 'rejected', reason: { code: '23514' } },
      { status: 'fulfilled', value: idOf('c') },
    ])
  })

  it.each([
    ['the connection is lost', persistenceUnavailable({ outcome: 'unknown' })],
    ['the result is damaged', new Error('bad record mac')],
    ['the server reports anything else', reported('42P01')],
  ])('are all rejected, and not repeated, when %s', async (_, error) => {
    failure = error
    const writes = grouped()
    const rows = await Promise.allSettled([writes.add(aPet('a')), writes.add(aPet('b'))])
    expect(rows).toEqual([
      { status: 'rejected', reason: error },
      { status: 'rejected', reason: error },
    ])
    expect(ran).toHaveLength(1)
  })

  it('are several statements when they are very many', async () => {
    const writes = grouped()
    const rows = await Promise.all(Array.from({ length: 1_200 }, (_, index) => writes.add(aPet(`${index}`))))
    expect(rows).toEqual(Array.from({ length: 1_200 }, (_, index) => idOf(`${index}`)))
    expect(ran.map((names) => names.length)).toEqual([500, 500, 200])
  })
})

describe('An insert', () => {
  it('waits for others while a group is being sent', async () => {
    const release = holdGroups()
    const writes = grouped()
    const rows = await sendGroup(writes)
    for (const names of ['cd', 'ef']) {
      rows.push(...Array.from(names, (name) => writes.add(aPet(name))))
      await turn()
    }
    expect(ran).toHaveLength(1)
    release()
    expect(await Promise.all(rows)).toEqual(Array.from('abcdef', (name) => idOf(name)))
    expect(ran).toEqual([
      ['a', 'b'],
      ['c', 'd', 'e', 'f'],
    ])
  })

  it('is rejected as not stored when too many wait, by number or by bytes', async () => {
    const byNumber = grouped({ maxStatements: 2 })
    const rows = [byNumber.add(aPet('a')), byNumber.add(aPet('b'))]
    await expect(byNumber.add(aPet('c'))).rejects.toMatchObject({
      code: 'persistence_unavailable',
      outcome: 'not_stored',
    })
    expect(await Promise.all(rows)).toHaveLength(2)
    expect(await byNumber.add(aPet('d'))).toBe(idOf('d'))

    const byBytes = grouped({ maxBytes: 2_000 })
    await expect(byBytes.add(aPet('x'.repeat(1_000)))).rejects.toMatchObject({ outcome: 'not_stored' })
    expect(await byBytes.add(aPet('e'))).toBe(idOf('e'))
  })

  it('is rejected as not stored when its deadline has passed, even if the timer for it comes too late', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const release = holdGroups()
    const writes = grouped()
    const rows = await sendGroup(writes)
    const late = [writes.add(aPet('late')), writes.add(aPet('later'))]
    // Longer than the deadline, on the clock only.
    vi.advanceTimersByTime(60_001)
    release()
    const notStored = { status: 'rejected', reason: { outcome: 'not_stored' } }
    expect(await Promise.allSettled(late)).toMatchObject([notStored, notStored])
    expect(await Promise.all(rows)).toHaveLength(2)
    expect(ran).toHaveLength(1)
  })

  it('is not run by itself after its group has failed when it was cancelled meanwhile', async () => {
    const release = holdGroups()
    failure = reported('23514')
    const writes = grouped()
    const cancellation = { aborted: false }
    const rows = [writes.add(aPet('a')), writes.add(aPet('b'), cancellation)]
    await turn()
    cancellation.aborted = true
    release()
    expect(await Promise.allSettled(rows)).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { outcome: 'not_stored' } },
    ])
    expect(ran).toEqual([['a', 'b'], ['a']])
  })

  it('is rejected as not stored at its deadline, while it waits for a connection', async () => {
    const { connect } = holdConnection()
    const writes = grouped({ maxWaitMs: 20 })
    const late = [writes.add(aPet('late')), writes.add(aPet('later'))]
    const notStored = { status: 'rejected', reason: { outcome: 'not_stored' } }
    expect(await Promise.allSettled(late)).toMatchObject([notStored, notStored])
    connect()
    await turn()
    expect(ran).toEqual([])
  })

  it('that arrives while others wait for a connection is sent together with them', async () => {
    const { connect } = holdConnection()
    const writes = grouped()
    const rows = await sendGroup(writes)
    rows.push(writes.add(aPet('c')))
    connect()
    expect(await Promise.all(rows)).toEqual([idOf('a'), idOf('b'), idOf('c')])
    expect(ran).toHaveLength(1)
  })

  it('is rejected with those before it when there is no connection for them', async () => {
    const error = persistenceUnavailable({ outcome: 'not_stored' })
    const { fail } = holdConnection()
    const writes = grouped()
    const rows = await sendGroup(writes)
    rows.push(writes.add(aPet('c')))
    fail(error)
    const rejected = { status: 'rejected', reason: error }
    expect(await Promise.allSettled(rows)).toEqual([rejected, rejected, rejected])
    expect(ran).toEqual([])
  })
})
