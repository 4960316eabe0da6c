import { AsyncLocalStorage } from 'node:async_hooks'
import type { Cancellation } from '@pet-store/domain'
import { rejectionFor, type WaitingLimits, WaitingQueue, type WaitingStatement } from '@pet-store/persistence-mikro-orm'

/** Runs items together and returns a result for each, in their order, or rejects. */
export type RunGroup<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>

export interface GroupOptions<Item, Result> {
  /**
   * Calls its argument when there is a connection. Until then items wait in the queue, so that the wait for a connection
   * is within their deadline.
   */
  onConnection(work: (run: RunGroup<Item, Result>) => Promise<void>): Promise<void>
  /** Whether the items of a group that has failed may run again, each by itself. */
  mayRunAgain(error: unknown): boolean
  readonly maxItems: number
  /** How many groups run at the same time. */
  readonly maxGroups: number
  readonly limits?: WaitingLimits
}

interface WaitingItem<Item, Result> extends WaitingStatement {
  readonly item: Item
  readonly resolve: (result: Result) => void
}

/**
 * Sends the statements of one turn of the event loop together: one round trip serves all of them. Those that arrive while
 * as many groups as allowed are running are the next one. If a group fails because of one of them, each runs by itself, so
 * that it fails alone; after any other error nobody knows what was done, so all are rejected with it.
 */
export class GroupedStatements<Item, Result> {
  readonly #options: GroupOptions<Item, Result>
  readonly #queue: WaitingQueue<WaitingItem<Item, Result>>
  readonly #running = new Set<Promise<void>>()
  #isScheduled = false
  /** Of the first item of the queue: a group belongs to its trace. */
  #inContext = AsyncLocalStorage.snapshot()

  constructor(options: GroupOptions<Item, Result>) {
    this.#options = options
    this.#queue = new WaitingQueue(options.limits)
  }

  /** Resolves with the item's result, of a write after the commit. `bytes` is what it holds while it waits. */
  add(item: Item, bytes: number, cancellation?: Cancellation): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#queue.length === 0) this.#inContext = AsyncLocalStorage.snapshot()
      this.#queue.add({ item, bytes, cancellation, resolve, reject })
      this.#schedule()
    })
  }

  /** Resolves when all items have settled. */
  async finish(): Promise<void> {
    while (this.#queue.length > 0 || this.#running.size > 0) {
      this.#begin()
      await Promise.race(this.#running)
    }
  }

  get #mayBegin(): boolean {
    return this.#queue.length > 0 && this.#running.size < this.#options.maxGroups
  }

  #schedule(): void {
    if (this.#isScheduled || !this.#mayBegin) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#begin()
    })
  }

  #begin(): void {
    if (!this.#mayBegin) return
    const running = this.#inContext(() => this.#run()).finally(() => {
      this.#running.delete(running)
      this.#schedule()
    })
    this.#running.add(running)
  }

  async #run(): Promise<void> {
    let group: readonly WaitingItem<Item, Result>[] = []
    try {
      await this.#options.onConnection(async (run) => {
        group = this.#queue.take(this.#options.maxItems)
        this.#schedule()
        if (group.length > 0) await this.#runGroup(run, group)
      })
    } catch (error) {
      // Without a connection none was taken: all of them wait for the same one.
      for (const { reject } of group.length > 0 ? group : this.#queue.take()) reject(error)
    }
  }

  async #runGroup(run: RunGroup<Item, Result>, group: readonly WaitingItem<Item, Result>[]): Promise<void> {
    try {
      const results = await run(group.map(({ item }) => item))
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (group.length === 1 || !this.#options.mayRunAgain(error)) throw error
      await this.#runEach(run, group)
    }
  }

  async #runEach(run: RunGroup<Item, Result>, group: readonly WaitingItem<Item, Result>[]): Promise<void> {
    const deadline = performance.now() + this.#queue.maxWaitMs
    for (const one of group) {
      const reason = rejectionFor(one.cancellation, performance.now() >= deadline)
      if (reason === undefined) await this.#runGroup(run, [one]).catch(one.reject)
      else one.reject(reason)
    }
  }
}
