/** How long each core has worked, and how long it has been there, in ticks of the kernel. */
export type CoreTimes = ReadonlyMap<number, { readonly busy: number; readonly total: number }>

/** From the text of `/proc/stat`. Waiting for the disk is idle time; what the host took away is busy. */
export function coreTimes(stat: string): CoreTimes {
  const lines = stat.matchAll(/^cpu(\d+) (.*)$/gm)
  return new Map(
    Array.from(lines, ([, core, fields = '']) => {
      // Time of guests, behind these eight, is in the first two already.
      const times = fields.split(' ').slice(0, 8).map(Number)
      const total = times.reduce((sum, time) => sum + time, 0)
      const [, , , idle = 0, waiting = 0] = times
      return [Number(core), { busy: total - idle - waiting, total }]
    }),
  )
}

/** Which part of the time between these two moments the cores worked, on average; `NaN` for none. */
export function busyPart(before: CoreTimes, after: CoreTimes, cores: readonly number[]): number {
  let busy = 0
  let total = 0
  for (const core of cores) {
    busy += (after.get(core)?.busy ?? 0) - (before.get(core)?.busy ?? 0)
    total += (after.get(core)?.total ?? 0) - (before.get(core)?.total ?? 0)
  }
  return busy / total
}
