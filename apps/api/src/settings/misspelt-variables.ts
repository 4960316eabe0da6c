import { SETTINGS, type Setting } from './settings.ts'

/** A variable that is not a setting, but looks like one. */
export interface MisspeltVariable {
  readonly name: string
  readonly meant: string
}

const KNOWN: readonly string[] = Object.values<Setting<unknown>>(SETTINGS).flatMap(({ variable, isSecret }) =>
  isSecret ? [variable, `${variable}_FILE`] : [variable],
)

/**
 * Finds variables that differ from a setting by a typing error or two, by case, or by words left out at the end
 * (`DATABASE_POOL`), and so are silently ignored.
 */
export function misspeltVariables(environment: NodeJS.ProcessEnv): readonly MisspeltVariable[] {
  return Object.keys(environment).flatMap((name) => {
    if (KNOWN.includes(name)) return []
    const upper = name.toUpperCase()
    const meant =
      KNOWN.find((known) => distance(upper, known) <= (known.length < 8 ? 1 : 2)) ??
      (name.length >= 8 ? KNOWN.find((known) => known.startsWith(`${upper}_`)) : undefined)
    return meant === undefined ? [] : [{ name, meant }]
  })
}

/** The number of letters inserted, left out, replaced or swapped with a neighbour (optimal string alignment). */
function distance(one: string, other: string): number {
  // Too different in any case.
  if (Math.abs(one.length - other.length) > 2) return Number.POSITIVE_INFINITY
  let [before, row] = [[] as number[], Array.from({ length: other.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}
