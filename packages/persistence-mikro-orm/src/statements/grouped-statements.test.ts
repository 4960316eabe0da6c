import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { GroupedStatements, type GroupOptions } from './grouped-statements.ts'

const NOT_STORED = { code: 'persistence_unavailable', outcome: 'not_stored' }
const DROPPED = { status: 'rejected', reason: NOT_STORED }
/** A promise that a case settles. */
function gate() {
  const ends: { resolve?: () => void; reject?: (error: Error) => void } = {}
  const promise = new Promise<void>((resolve, reject) => {
    Object.assign(ends, { resolve, reject })
  })
  promise.catch(() => undefined)
  return { promise, ...(ends as Required<typeof ends>) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Statements that resolve with their own names, and the names of each group that ran. */
function openGroups(options?: GroupOptions) {
  const groups: string[][] = []
  const state = { ready: Promise.resolve(), held: Promise.resolve() }
  const statements = new GroupedStatements<string, string>(async (take) => {
    await state.ready
    const group = take()
    if (group.length > 0) groups.push(group.map(({ work }) => work))
    await state.held
    for (const { work, resolve } of group) resolve(work)
  }, options)
  const add = (name: string) => statements.add(name, [name])
  return {
    statements,
    groups,
    state,
    add,
    addAll: (names: string) => Array.from(names, (name) => add(name)),
  }
}

/** Statements that arrived in two turns, while there is no connection yet. */
async function openConnecting() {
  const opened = openGroups()
  const connecting = gate()
  opened.state.ready = connecting.promise
  const results = opened.addAll('ab')
  await turn()
  results.push(...opened.addAll('c'))
  return { ...opened, connecting, results }
}

describe('Statements', () => {
  it('statements of one turn are one group, those that arrive meanwhile the next', async () => {
    const { groups, state, addAll } = openGroups()
    const running = gate()
    state.held = running.promise
    const results = addAll('ab')
    for (const names of ['cd', 'ef']) {
      await turn()
      results.push(...addAll(names))
    }
    running.resolve()
    expect(await Promise.all(results)).toEqual([...'abcdef'])
    expect(groups).toEqual([[...'ab'], [...'cdef']])
  })

  it('many statements run in several groups, of which maxGroups run at once', async () => {
    const { groups, state, addAll } = openGroups({ maxGroupSize: 2, maxGroups: 2 })
    const running = gate()
    state.held = running.promise
    const results = addAll('abcdefg')
    await turn()
    expect(groups).toEqual([[...'ab'], [...'cd']])
    running.resolve()
    expect(await Promise.all(results)).toEqual([...'abcdefg'])
    expect(groups.slice(2)).toEqual([[...'ef'], ['g']])
  })

  it('statements that arrive while others wait for a connection run with them', async () => {
    const { groups, connecting, results } = await openConnecting()
    connecting.resolve()
    await Promise.all(results)
    expect(groups).toEqual([[...'abc']])
  })

  it('statements without a connection are all rejected, and later ones are not', async () => {
    const { groups, state, addAll, connecting, results } = await openConnecting()
    connecting.reject(new Error('none'))
    expect(await Promise.allSettled(results)).toMatchObject(
      results.map(() => ({ reason: new Error('none') })),
    )
    state.ready = Promise.resolve()
    await Promise.all(addAll('d'))
    expect(groups).toEqual([['d']])
  })

  it('statements of a group that fails are rejected, and those that wait are not', async () => {
    const { state, addAll } = openGroups()
    const running = gate()
    state.held = running.promise
    const results = addAll('ab')
    await turn()
    results.push(...addAll('c'))
    state.held = Promise.resolve()
    running.reject(new Error('lost'))
    const lost = { reason: new Error('lost') }
    expect(await Promise.allSettled(results)).toMatchObject([lost, lost, { value: 'c' }])
  })

  it('a group runs again when it has taken no statements', async () => {
    let tries = 0
    const statements = new GroupedStatements<string, string>(async (take) => {
      tries += 1
      if (tries === 3) for (const { work, resolve } of take()) resolve(work)
    })
    expect(await statements.add('a', [])).toBe('a')
    expect(tries).toBe(3)
  })

  it('statements all have their results when their group has finished', async () => {
    const { statements, addAll } = openGroups({ maxGroupSize: 1 })
    const results = Promise.all(addAll('abc'))
    expect(statements.isBusy).toBe(true)
    await statements.finish()
    expect(statements.isBusy).toBe(false)
    expect(await results).toEqual([...'abc'])
    await statements.finish()
  })
})

describe('A statement', () => {
  it.each([{ maxStatements: 2 }, { maxBytes: 1_100 }])(
    'a statement beyond %o is rejected at once, and later ones are not',
    async (limit) => {
      const { add, addAll } = openGroups(limit)
      const waiting = addAll('ab')
      await expect(add('c')).rejects.toMatchObject(NOT_STORED)
      await Promise.all(waiting)
      expect(await add('d')).toBe('d')
    },
  )

  it('a statement that has waited too long for others is rejected and not run', async () => {
    const { groups, state, addAll } = openGroups({ maxWaitMs: 20 })
    const connecting = gate()
    state.ready = connecting.promise
    expect(await Promise.allSettled(addAll('ab'))).toMatchObject([DROPPED, DROPPED])
    connecting.resolve()
    await turn()
    expect(groups).toEqual([])
  })

  it('a statement is rejected after its deadline, even if its timer comes too late', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const { groups, state, addAll } = openGroups()
    const running = gate()
    state.held = running.promise
    const results = addAll('ab')
    await turn()
    results.push(...addAll('cd'))
    // Longer than the deadline, on the clock only.
    vi.advanceTimersByTime(5_001)
    running.resolve()
    expect(await Promise.allSettled(results)).toMatchObject([
      { value: 'a' },
      { value: 'b' },
      DROPPED,
      DROPPED,
    ])
    expect(groups).toEqual([[...'ab']])
  })

  it('a statement that is cancelled before its group is taken is not run', async () => {
    const { statements, groups, add } = openGroups()
    const cancelled = new AbortController()
    const results = [statements.add('a', [], cancelled.signal), add('b')]
    cancelled.abort()
    expect(await Promise.allSettled(results)).toMatchObject([DROPPED, { value: 'b' }])
    expect(groups).toEqual([['b']])
  })
})
