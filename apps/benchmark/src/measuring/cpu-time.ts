import { readdirSync, readFileSync } from 'node:fs'
import { sum } from './statistics.ts'

/** What the kernel knows of a process, in nanoseconds since its start. */
export interface CpuTime {
  /** CPU time of all threads. */
  readonly used: number
  /** How long the main thread was ready to run while something else than this process had its core. */
  readonly waited: number
}

/** Reads `/proc/<pid>/task/<thread>/schedstat`: time on a core, and time waiting for one. */
export function cpuTime(pid: number): CpuTime {
  const threads = `/proc/${pid}/task`
  let used = 0
  let ofMain = 0
  let waited = 0
  for (const thread of readdirSync(threads)) {
    const [run = 0, wait = 0] = readFileSync(`${threads}/${thread}/schedstat`, 'latin1').split(' ').map(Number)
    used += run
    if (Number(thread) !== pid) continue
    ofMain = run
    waited = wait
  }
  // The main thread also waits for the others, such as the collector's; that is the process's own doing.
  return { used, waited: waited - (used - ofMain) }
}

/**
 * A reader of the CPU time of a server that starts a process for each connection, in nanoseconds, from the id of one of
 * them; `undefined` when it runs elsewhere.
 */
export function cpuTimeOfSiblings(pid: number, name: string): (() => number) | undefined {
  try {
    const [, found, parent] = /\((.*)\) . (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? []
    if (found !== name) return undefined
    const children = () =>
      readFileSync(`/proc/${parent}/task/${parent}/children`, 'latin1').trim().split(' ').map(Number)
    children()
    // What a process that has ended used stays counted.
    const used = new Map<number, number>()
    return () => {
      for (const child of children()) {
        const time = cpuTimeUnlessEnded(child)
        if (time !== undefined) used.set(child, time)
      }
      return sum([...used.values()])
    }
  } catch {
    return undefined
  }
}

function cpuTimeUnlessEnded(pid: number): number | undefined {
  try {
    return cpuTime(pid).used
  } catch {
    return undefined
  }
}

/** How long all cores together were idle, and how long the host of a virtual machine took them, in nanoseconds. */
export function coreTimes(stat: string): { readonly idle: number; readonly stolen: number } {
  // In `/proc/stat`: `cpu`, then hundredths of a second for user, nice, system, idle, the disk, two kinds of interrupts, stolen.
  const ticks = /^cpu +(.*)$/m.exec(stat)?.[1]?.split(' ').map(Number) ?? []
  const [, , , idle = 0, waiting = 0, , , stolen = 0] = ticks
  return { idle: (idle + waiting) * 1e7, stolen: stolen * 1e7 }
}
