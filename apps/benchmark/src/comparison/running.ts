import { setTimeout as wait } from 'node:timers/promises'
import { type Slice, type SliceOptions, takeSlice } from '../measuring/slice.ts'
import { type Operation, targetByCursor, targetById } from '../requests/operations.ts'
import { type ReadyRequest, readyRequest } from '../requests/request.ts'
import type { Contestant } from '../servers/contestants.ts'
import type { Databases } from '../servers/databases.ts'
import { type RunningServer, startServer } from '../servers/server-process.ts'
import { assertSameResponses } from './same-responses.ts'

/** A contestant whose responses are right, on a database of its own. */
export interface Instance {
  /** Mostly one process; several share the database and the load. */
  readonly servers: readonly RunningServer[]
  /** Resident memory of a process when idle after the start. */
  readonly restMiB: number
  readonly requests: ReadonlyMap<Operation, readonly ReadyRequest[]>
  readonly countPets: () => Promise<number>
  /** Pets in the database to begin with. */
  readonly size: number
  /** Pets that it said it added. */
  added: number
}

/** A contestant with its instances, which take slices in turn. */
export interface Running {
  readonly contestant: Contestant
  readonly instances: Instance[]
}

const REST_MS = 300

/** Starts a contestant. Rejects, and stops it, unless its responses are right. */
export async function startInstance(
  contestant: Contestant,
  databases: Databases,
  operations: readonly Operation[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Instance> {
  const { size } = databases
  const { url, countPets } = await databases.create()
  const servers: RunningServer[] = []
  try {
    while (servers.length < (contestant.processes ?? 1)) {
      servers.push(await startServer(contestant.program, url, settings))
    }
    await wait(REST_MS)
    const [{ port, memoryMiB }] = servers as [RunningServer]
    const restMiB = memoryMiB('VmRSS')
    const target = contestant.role === 'service' ? await targetByCursor(port, size) : targetById(size)
    const added = await assertSameResponses(contestant, port, operations, target)
    const requests = new Map(operations.map((operation) => [operation, operation.requests(target).map(readyRequest)]))
    return { servers, restMiB, countPets, requests, size, added }
  } catch (error) {
    for (const { stop } of servers) await stop()
    throw error
  }
}

export async function takeSliceOf(
  instance: Instance,
  operation: Operation,
  options: Omit<SliceOptions, 'servers' | 'requests'>,
): Promise<Slice> {
  const { servers, requests } = instance
  const slice = await takeSlice({ ...options, servers, requests: requests.get(operation) ?? [] })
  instance.added += slice.added
  return slice
}

/** Lets the instances of a contestant take slices in turn. */
export function inTurn<Taken>(instances: readonly Instance[], take: (instance: Instance) => Promise<Taken>) {
  let turn = 0
  return () => {
    turn = (turn + 1) % instances.length
    return take(instances[turn] as Instance)
  }
}

/** A contestant that says it added more than it stored has not done the work. */
export async function assertStored(running: readonly Running[]): Promise<void> {
  for (const { contestant, instances } of running) {
    for (const { countPets, added, size } of instances) {
      const stored = (await countPets()) - size
      if (stored === added) continue
      throw new Error(`${contestant.name} responded ${added} times that it added a pet, and stored ${stored}.`)
    }
  }
}
