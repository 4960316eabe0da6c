/** The kernel counts in these towards programs, whatever it uses itself. */
const TICKS_PER_SECOND = 100

/** CPU time of a process, user and system, all threads, in seconds: from the text of `/proc/<pid>/stat`. */
export function cpuSeconds(stat: string): number {
  // The program's name is in parentheses and may hold anything, spaces and parentheses too.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Resident memory in MiB, now (`VmRSS`) or at its highest (`VmHWM`): from the text of `/proc/<pid>/status`. */
export function memoryMiB(status: string, field: 'VmRSS' | 'VmHWM'): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
}
