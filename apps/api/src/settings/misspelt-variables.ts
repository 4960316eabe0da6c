import { processEnvironment } from './environment.ts'
import { SETTING_LIST } from './settings.ts'

const KNOWN: readonly string[] = SETTING_LIST.flatMap(({ variable, isSecret }) =>
  isSecret ? [variable, `${variable}_FILE`] : [variable],
)

/**
 * Finds variables that differ from a setting by a letter that is missing, added, wrong or
 * elsewhere, by case, or by words left out at the end (`DATABASE_POOL`), and so are silently
 * ignored.
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

/** Whether two words are the same without one letter of either, or both. */
function isSimilar(one: string, other: string): boolean {
  const shorter = (word: string) => [
    word,
    ...Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1)),
  ]
  const others = new Set(shorter(other))
  return shorter(one).some((word) => others.has(word))
}
