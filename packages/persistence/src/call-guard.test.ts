import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, it, vi } from 'vitest'
import { createCallGuard } from './call-guard.ts'

const outcomeOf = (error: unknown) =>
  (error as { code?: string }).code === 'ECONNRESET' ? ('unknown' as const) : undefined
const lost = () => Promise.reject(Object.assign(new Error('lost'), { code: 'ECONNRESET' }))
const never = () => new Promise<never>(() => {})
const unavailable = (outcome: string) => ({ code: 'persistence_unavailable', outcome })

it('createCallGuard passes results and other errors through, and names the outcome', async () => {
  const guard = createCallGuard({ outcomeOf })
  expect(await guard.read(async () => 1)).toBe(1)
  await expect(guard.write(() => Promise.reject(new Error('taken')))).rejects.toThrow('taken')
  await expect(guard.write(lost)).rejects.toMatchObject(unavailable('unknown'))
  await expect(guard.read(lost)).rejects.toMatchObject(unavailable('not_stored'))
})

it('createCallGuard rejects late writes: unknown if begun, not_stored if waiting', async () => {
  vi.useFakeTimers()
  try {
    const guard = createCallGuard({ outcomeOf, deadlineMs: 1_000, concurrency: 1 })
    const begun = guard.write(never)
    const waiting = guard.write(async () => 1)
    const results = Promise.allSettled([begun, waiting])
    // A turn more: what has arrived is read first.
    await vi.advanceTimersByTimeAsync(1_001)
    expect(await results).toMatchObject([
      { reason: unavailable('unknown') },
      { reason: unavailable('not_stored') },
    ])
  } finally {
    vi.useRealTimers()
  }
})

it('createCallGuard runs as many calls at a time as it may, in order, and ends all', async () => {
  const guard = createCallGuard({ outcomeOf, concurrency: 1 })
  const order: number[] = []
  for (const number of [1, 2, 3]) {
    void guard.write(async () => {
      await Promise.resolve()
      order.push(number)
    })
  }
  await guard.finish()
  expect(order).toEqual([1, 2, 3])
})

it('createCallGuard counts the calls that wait for others', async () => {
  const guard = createCallGuard({ outcomeOf, concurrency: 1 })
  const calls = [1, 2, 3].map(() => guard.read(async () => undefined))
  expect(guard.waiting()).toBe(2)
  await Promise.all(calls)
  expect(guard.waiting()).toBe(0)
})

it('createCallGuard runs no more calls than it may when one ends as another comes', async () => {
  const guard = createCallGuard({ outcomeOf, concurrency: 1 })
  let running = 0
  let highest = 0
  const work = async () => {
    running += 1
    highest = Math.max(highest, running)
    await Promise.resolve()
    running -= 1
  }
  let end = () => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  const first = guard.read(() => ended)
  const second = guard.read(work)
  // Called after the first call has ended, before the second one begins.
  const third = ended.then(() => guard.read(work))
  end()
  await Promise.all([first, second, third])
  expect(highest).toBe(1)
})

it('createCallGuard rejects calls beyond the queue, and writes that were cancelled', async () => {
  const guard = createCallGuard({ outcomeOf, maxCalls: 1 })
  let end = () => {}
  const first = guard.read(() => new Promise<void>((resolve) => (end = resolve)))
  await expect(guard.write(async () => 1)).rejects.toMatchObject(unavailable('not_stored'))
  end()
  await first
  await guard.finish()
  await expect(guard.write(async () => 1, { aborted: true })).rejects.toMatchObject(
    unavailable('not_stored'),
  )
})

it('createCallGuard returns a response that arrived while the process was busy', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as { port: number }).port, '127.0.0.1')
  const [[peer]] = await Promise.all([once(server, 'connection'), once(client, 'connect')])
  const guard = createCallGuard({ outcomeOf, deadlineMs: 10 })
  const reading = guard.read(() => once(client, 'data'))
  peer.write('response')
  const end = performance.now() + 30
  while (performance.now() < end);
  expect(String((await reading)[0])).toBe('response')
  for (const socket of [client, peer]) socket.destroy()
  server.close()
})

it('createCallGuard runs nothing that cannot be sent, and says why', async () => {
  const cause = new Error('There is no connection.')
  let isConnected = false
  const assertAvailable = () => {
    if (!isConnected) throw cause
  }
  const guard = createCallGuard({ outcomeOf, assertAvailable, concurrency: 1 })
  const work = vi.fn(async () => 1)
  const rejection = { ...unavailable('not_stored'), cause }
  await expect(guard.write(work)).rejects.toMatchObject(rejection)
  await expect(guard.read(work)).rejects.toMatchObject(rejection)
  expect(work).not.toHaveBeenCalled()
  isConnected = true
  expect(await guard.write(work)).toBe(1)
  let end = () => {}
  const first = guard.read(() => new Promise<void>((resolve) => (end = resolve)))
  const waiting = guard.write(work)
  isConnected = false
  end()
  await first
  await expect(waiting).rejects.toMatchObject(rejection)
})
