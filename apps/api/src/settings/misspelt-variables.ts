import { processEnvironment } from './environment.ts'
import { SETTING_LIST } from './settings.ts'

const KNOWN: readonly string[] = SETTING_LIST.flatMap(({ variable, isSecret }) =>
  isSecret ? [variable, `${variable}_FILE`] : [variable],
)

/**
 * Finds variables that are probably misspelt settings: they differ from one by a missing, added,
 * wrong or moved letter, by case, or by missing words at the end (`DATABASE_POOL`). Such variables
 * have no effect.
 */
export function misspeltVariables(
  environment = processEnvironment(),
): readonly { name: string; meant: string }[] {
  return Object.keys(environment).flatMap((name) => {
    if (KNOWN.includes(name)) return []
    const upper = name.toUpperCase()
    const meant =
      KNOWN.find((known) => isSimilar(upper, known)) ??
      (name.length >= 8 ? KNOWN.find((known) => known.startsWith(`${upper}_`)) : undefined)
    return meant === undefined ? [] : [{ name, meant }]
  })
}

/** Whether two words are equal if at most one letter of each is left out. */
function isSimilar(one: string, other: string): boolean {
  const shorter = (word: string) => [
    word,
    ...Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1)),
  ]
  const others = new Set(shorter(other))
  return shorter(one).some((word) => others.has(word))
}
