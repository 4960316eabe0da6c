import { spawnSync } from 'node:child_process'

/** Which cores the server and everything else run on; without `taskset` or a second core, wherever they like. */
export interface Pinning {
  readonly description: string
  /** Puts a program's command line onto the server's core. */
  onServerCore(command: readonly string[]): readonly string[]
}

/**
 * Keeps the last core for the servers that are measured. This process, and with it the database server that it
 * starts, moves to the others.
 */
export function pinProcess(pid = process.pid): Pinning {
  const cores = coresOf(pid)
  const server = cores.at(-1)
  if (server === undefined || cores.length < 2) {
    return { description: 'not pinned: taskset or a second core is missing', onServerCore: (command) => command }
  }
  const others = cores.slice(0, -1).join(',')
  moveTo(others, pid)
  return {
    description: `server on core ${server}; client and database on ${others}`,
    onServerCore: (command) => ['taskset', '-c', String(server), ...command],
  }
}

/** The cores that a process may run on; none without `taskset`. */
export function coresOf(pid = process.pid): number[] {
  return readCores(spawnSync('taskset', ['-cp', String(pid)], { encoding: 'utf8' }).stdout ?? '')
}

/** Moves a process with all its threads to these cores, such as `0,2`. What it starts afterwards runs there too. */
export function moveTo(cores: string, pid = process.pid): void {
  spawnSync('taskset', ['-acp', cores, String(pid)])
}

/** The cores in what `taskset` says, such as `pid 7's current affinity list: 0-2,5`. */
export function readCores(said: string): number[] {
  const list = /list: ([0-9,-]+)/.exec(said)?.[1] ?? ''
  return list
    .split(',')
    .filter((range) => range !== '')
    .flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
}
