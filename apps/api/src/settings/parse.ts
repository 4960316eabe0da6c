const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration such as `90d`, `24h`, `5m` or `0s`, in milliseconds. Throws a `RangeError` whose message is the rule. */
export function parseDuration(text: string): number {
  const [, count = '', unit = ''] = /^([0-9]+)([smhd])$/.exec(text) ?? []
  const unitMs = UNITS_MS[unit]
  if (unitMs === undefined) throw new RangeError('must be a number and a unit: s, m, h or d, such as 90d')
  if (count.length > 6) throw new RangeError('must be a number of at most six digits and a unit, such as 90d')
  return Number(count) * unitMs
}

export function parseInteger(text: string, min: number, max: number): number {
  const integer = Number(text)
  if (/^[0-9]{1,10}$/.test(text) && integer >= min && integer <= max) return integer
  throw new RangeError(`must be an integer from ${min} to ${max}`)
}

export function parseOneOf<Value extends string>(text: string, values: readonly Value[]): Value {
  const value = values.find((known) => known === text)
  if (value !== undefined) return value
  throw new RangeError(`must be one of ${values.join(', ')}`)
}

/** The entries of a list separated by commas, without white space around them; empty entries are ignored. */
export function parseList(text: string): readonly string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}
