import { setTimeout as wait } from 'node:timers/promises'
import type { Series } from '../measuring/rotation.ts'
import { type Slice, type SliceOptions, takeSlice } from '../measuring/slice.ts'
import { type WireRequest, wireRequest } from '../requests/connection.ts'
import { type Operation, targetByCursor, targetById } from '../requests/operations.ts'
import type { Contestant } from '../servers/contestants.ts'
import type { RunningServer } from '../servers/server-process.ts'
import { expectSameResponses } from './same-responses.ts'

/** A process of a contestant whose responses are those of all others, on a database of its own. */
export interface Instance {
  readonly server: RunningServer
  readonly restMiB: number
  readonly countPets: () => Promise<number>
  readonly requests: ReadonlyMap<Operation, readonly WireRequest[]>
  /** Pets that it said it added. */
  added: number
}

/** A contestant with its processes, which take slices in turn. */
export interface Running {
  readonly contestant: Contestant
  /** The baseline and our service: they take part in each round. */
  readonly isFocus: boolean
  readonly instances: Instance[]
}

/** One operation by one contestant. */
export interface Measurement {
  readonly contestant: Contestant
  readonly operation: Operation
  readonly series: Series
}

const REST_MS = 300

/** Rejects, and stops the server, unless its responses are right. */
export async function instanceOf(
  contestant: Contestant,
  server: RunningServer,
  countPets: () => Promise<number>,
  operations: readonly Operation[],
  size: number,
): Promise<Instance> {
  try {
    await wait(REST_MS)
    const restMiB = server.memoryMiB('VmRSS')
    const target = contestant.role === 'service' ? await targetByCursor(server.port, size) : targetById(size)
    const added = await expectSameResponses(contestant, server.port, operations, target)
    const requests = new Map(operations.map((operation) => [operation, operation.requests(target).map(wireRequest)]))
    return { server, restMiB, countPets, requests, added }
  } catch (error) {
    await server.stop()
    throw error
  }
}

export async function slice(
  instance: Instance,
  operation: Operation,
  options: Omit<SliceOptions, 'servers' | 'requests'>,
): Promise<Slice> {
  const requests = instance.requests.get(operation) ?? []
  const taken = await takeSlice({ ...options, servers: [instance.server], requests })
  instance.added += taken.added
  return taken
}

/** A contestant that says it added more than it stored has not done the work. */
export async function expectStored(running: readonly Running[], size: number): Promise<void> {
  for (const { contestant, instances } of running) {
    for (const { countPets, added } of instances) {
      const stored = (await countPets()) - size
      if (stored === added) continue
      throw new Error(`${contestant.name} responded ${added} times that it added a pet, and stored ${stored}.`)
    }
  }
}
