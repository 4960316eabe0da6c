import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { EntityWork } from '../orm/entity-managers.ts'
import { ExpiredIdempotencyKeys } from './expired-idempotency-keys.ts'

/** The part of the condition of both statements that has a range of times. */
interface Selected {
  readonly $and: readonly [{ readonly at: { readonly $gte: bigint; readonly $lte: bigint } }]
}

describe('Deleting expired keys', () => {
  let deleted: (readonly unknown[])[]
  /** What each search finds. */
  let found: (bigint | undefined)[]
  let failure: Error | undefined
  const onFailure = vi.fn()
  let keys: ExpiredIdempotencyKeys

  beforeEach(() => {
    ;[deleted, found, failure] = [[], [], undefined]
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const em = {
      async find() {
        const at = found.shift()
        return at === undefined ? [] : [{ at }]
      },
      async nativeDelete(_record: unknown, { $and: [{ at }] }: Selected) {
        if (failure !== undefined) throw failure
        deleted.push([at.$gte, at.$lte])
      },
    }
    const run = <Result>(_name: string, work: EntityWork<Result>) => work(em as never)
    keys = new ExpiredIdempotencyKeys({ nowMs: 'now' }, { read: run, write: run }, onFailure)
  })

  async function pass(ms: number, until: bigint): Promise<void> {
    vi.advanceTimersByTime(ms)
    keys.deleteInBackground(until)
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }

  it('deleting expired keys begins where it ended, and each hour from the beginning', async () => {
    const first = -(2n ** 63n)
    found = [10n, 20n, undefined, 30n]
    await pass(0, 25n)
    await pass(9_000, 40n)
    await pass(1_000, 40n)
    await pass(3_600_000, 50n)
    expect(deleted).toEqual([
      [first, 10n],
      [10n, 20n],
      [20n, 25n],
      [20n, 30n],
      [30n, 40n],
      [first, 50n],
    ])
  })

  it('deleting expired keys reports a failure, and tries again later', async () => {
    failure = new Error('lost')
    await pass(0, 25n)
    expect(onFailure).toHaveBeenCalledExactlyOnceWith(failure)
    failure = undefined
    await pass(10_000, 25n)
    expect(deleted).toHaveLength(1)
  })

  it('finish waits for the statement that deletes expired keys, and no other runs', async () => {
    found = [10n, 20n]
    keys.deleteInBackground(25n)
    await keys.finish()
    await pass(10_000, 25n)
    expect(deleted).toHaveLength(1)
  })
})
