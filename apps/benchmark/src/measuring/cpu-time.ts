import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '@pet-store/testing'

/** Resolves with the CPU time that some processes have used so far, in nanoseconds. */
export type CpuClock = () => Promise<number>

/** After most responses the rest of the work takes less. */
const REST_MS = 1

/**
 * A clock of all threads of some processes. It waits until none of them runs or wants to. The
 * kernel's `schedstat` counts what a running thread uses only every few milliseconds, so a whole
 * slice could seem to have taken no time.
 */
export function createCpuClock(pids: () => readonly (number | string)[]): CpuClock {
  // The time of threads that have ended still counts.
  const used = new Map<string, number>()
  return async () => {
    await wait(REST_MS)
    await until('the servers have nothing to do', () => {
      try {
        const threads = pids().flatMap(foldersOfThreads)
        const states = threads.map((folder) => readFileSync(`${folder}/stat`, 'latin1'))
        for (const folder of threads) {
          used.set(folder, Number.parseInt(readFileSync(`${folder}/schedstat`, 'latin1'), 10))
        }
        return !states.some((state) => state.includes(') R '))
      } catch {
        // A thread has just ended; the next attempt does not find it.
        return false
      }
    })
    return [...used.values()].reduce((total, nanoseconds) => total + nanoseconds, 0)
  }
}

/**
 * The clock of a PostgreSQL server, from the id of one of its processes; `undefined` if it runs
 * on another machine.
 */
export function createPostgresClock(pid: number): CpuClock | undefined {
  try {
    const [, parent] =
      /\(postgres\) . (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? []
    const children = `/proc/${parent}/task/${parent}/children`
    readFileSync(children)
    return createCpuClock(() => readFileSync(children, 'latin1').trim().split(' '))
  } catch {
    return undefined
  }
}

function foldersOfThreads(pid: number | string): string[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`)
}
