import { spawnSync } from 'node:child_process'

/** Where servers run; `undefined` without `taskset` or a second core. */
export let serverCore: number | undefined

/**
 * Keeps the last core for the servers that are measured. This process, and with it the database server that it
 * starts, moves to the others. Returns a description of who runs where.
 */
export function pinProcesses(): string {
  const cores = availableCores()
  if (cores.length < 2) return 'not pinned: taskset or a second core is missing'
  serverCore = cores.at(-1)
  const others = cores.slice(0, -1).join(',')
  spawnSync('taskset', ['-acp', others, String(process.pid)])
  return `server on core ${serverCore}; client and database on ${others}`
}

/** Adds to a command line what puts the program onto the server's core. */
export function onServerCore(command: readonly string[]): readonly string[] {
  return serverCore === undefined ? command : ['taskset', '-c', String(serverCore), ...command]
}

/** The cores that this process may run on; none without `taskset`. */
function availableCores(): number[] {
  const output = spawnSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' }).stdout ?? ''
  return readCores(output)
}

/** The cores in the output of `taskset`, such as `pid 7's current affinity list: 0-2,5`. */
export function readCores(output: string): number[] {
  const list = /list: ([0-9,-]+)/.exec(output)?.[1] ?? ''
  return list
    .split(',')
    .filter((range) => range !== '')
    .flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
}
