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
 * Finds variables that differ from a setting by a letter that is missing, added, wrong or elsewhere, by case, or by words
 * left out at the end (`DATABASE_POOL`), and so are silently ignored.
 */
export function misspeltVariables(environment: NodeJS.ProcessEnv): readonly MisspeltVariable[] {
  return Object.keys(environment).flatMap((name) => {
    if (KNOWN.includes(name)) return []
    const upper = name.toUpperCase()
    const meant =
      KNOWN.find((known) => isSimilar(upper, known)) ??
      (name.length >= 8 ? KNOWN.find((known) => known.startsWith(`${upper}_`)) : undefined)
    return meant === undefined ? [] : [{ name, meant }]
  })
}

/** Whether two words are the same without one letter of either, or both. */
function isSimilar(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false
  const shorter = (word: string) => [
    word,
    ...Array.from(word, (_, index) => word.slice(0, index) + word.slice(index + 1)),
  ]
  const others = new Set(shorter(other))
  return shorter(one).some((word) => others.has(word))
}
