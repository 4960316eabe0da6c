const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A span of time such as `90d`, `24h`, `5m` or `0s`, in milliseconds. Throws a `RangeError` whose message is the rule. */
export function readDuration(text: string): number {
  const [, count = '', unit = ''] = /^([0-9]{1,6})([smhd])$/.exec(text) ?? []
  const milliseconds = UNITS[unit]
  if (milliseconds === undefined) throw new RangeError('must be a number and a unit: s, m, h or d, such as 90d')
  return Number(count) * milliseconds
}
