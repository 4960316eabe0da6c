import { readdirSync, readFileSync } from 'node:fs'
import { sum } from './statistics.ts'

/** The CPU time of all threads of a process in nanoseconds, as the kernel's `schedstat` counts it. */
export function cpuTime(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return sum(
    threads.map((thread) => Number.parseInt(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1'), 10)),
  )
}

/**
 * A reader of the CPU time of all processes of a PostgreSQL server, from the id of one of them; `undefined` when it
 * runs on another machine.
 */
export function cpuTimeOfPostgres(pid: number): (() => number) | undefined {
  try {
    const [, parent] = /\(postgres\) . (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? []
    if (parent === undefined) return undefined
    const children = `/proc/${parent}/task/${parent}/children`
    // What a process that has ended used stays counted.
    const used = new Map<string, number>()
    return () => {
      for (const child of readFileSync(children, 'latin1').trim().split(' ')) {
        try {
          used.set(child, cpuTime(Number(child)))
        } catch {
          // It has just ended.
        }
      }
      return sum([...used.values()])
    }
  } catch {
    return undefined
  }
}
