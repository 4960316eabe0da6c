/** On a machine on which a process gets less of a processor, the deadlines of adapters run out. */
const LEAST_SHARE = 0.1
const MEASURED_MS = 20

/** Whether this process, which now needs a processor all the time, seldom has one. */
export function isMachineBusy(): boolean {
  const start = performance.now()
  const before = process.cpuUsage()
  let usedMs = 0
  while (usedMs < MEASURED_MS) {
    const { user, system } = process.cpuUsage(before)
    usedMs = (user + system) / 1000
  }
  return usedMs < LEAST_SHARE * (performance.now() - start)
}
