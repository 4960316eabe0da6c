// The only file that reads the environment.
import { readFileSync, statSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { mistakesAcross, SETTING_LIST, SETTINGS, type Setting, type Settings } from './settings.ts'

/** One or more settings are invalid; the message has one line for each. */
export class InvalidSettings extends Error {
  override readonly name = 'InvalidSettings'
}

/**
 * The environment as typed settings; variables that are absent or empty take their defaults. Throws
 * an `InvalidSettings` that names every invalid setting at once.
 */
export function readSettings(environment = processEnvironment()): Settings {
  const read = Object.entries<Setting<unknown>>(SETTINGS).map(
    ([name, setting]) => [name, readSetting(setting, environment)] as const,
  )
  const settings: Record<string, unknown> = Object.fromEntries(
    read.map(([name, { value }]) => [name, value]),
  )
  const mistakes = [
    ...read.flatMap(([, { mistake }]) => mistake ?? []),
    ...mistakesAcross(settings),
  ]
  if (mistakes.length > 0) throw new InvalidSettings(mistakes.join('\n'))
  // Every name of the list was read, or a line was written.
  return settings as Settings
}

/** A setting in effect, valid or not. */
export interface EffectiveSetting {
  readonly variable: string
  /** Its text as it may be shown. */
  readonly maskedText: string
  /** `environment` includes `.env`. */
  readonly from: 'environment' | 'file' | 'default'
  readonly value?: unknown
  /** Why it is invalid. */
  readonly mistake?: string
}

export function effectiveSettings(environment = processEnvironment()): readonly EffectiveSetting[] {
  return SETTING_LIST.map((setting) => readSetting(setting, environment))
}

/**
 * Reads a setting. A secret may be in a file, named by the variable with `_FILE` appended, as
 * platforms mount secrets.
 */
function readSetting(setting: Setting<unknown>, environment: NodeJS.ProcessEnv): EffectiveSetting {
  const { variable, isSecret = false, mask = isSecret ? () => '***' : String } = setting
  const given = environment[variable] || undefined
  const path = (isSecret && environment[`${variable}_FILE`]) || undefined
  const origin = given === undefined ? 'default' : 'environment'
  const read = { variable, from: path === undefined ? origin : 'file' } as const
  let maskedText = '(cannot be read)'
  let got = ''
  try {
    if (path !== undefined && given !== undefined)
      throw new RangeError(`must not be set beside ${variable}`)
    const text = path === undefined ? (given ?? setting.default ?? '') : textOfFile(path)
    maskedText = text && mask(text)
    // A password may stand before an @, even where none belongs.
    const mayRepeat = !isSecret && maskedText !== '***' && !text.includes('@')
    if (mayRepeat) got = `, got ${JSON.stringify(maskedText)}`
    return { ...read, maskedText, value: setting.parse(text) }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const name = path === undefined ? variable : `${variable}_FILE`
    return { ...read, maskedText, mistake: `${name} ${error.message}${got}` }
  }
}

function textOfFile(path: string): string {
  try {
    const text = readFileSync(path, 'utf8').trim()
    // An empty file was probably not written yet; it does not ask for the default.
    if (text !== '') return text
  } catch (error) {
    throw new RangeError(`cannot be read: ${(error as Error).message}`)
  }
  throw new RangeError(`must name a file that is not empty, got ${JSON.stringify(path)}`)
}

/**
 * The environment of the process, completed from the file `.env` of the working directory, if there
 * is one.
 */
function processEnvironment(): NodeJS.ProcessEnv {
  // Container engines make a folder of that name where a missing file is to be mounted.
  if (!statSync('.env', { throwIfNoEntry: false })?.isFile()) return process.env
  // Not process.loadEnvFile: it says that a file that it may not read is missing, and makes a byte
  // order mark part of a name.
  return Object.assign(process.env, {
    ...parseEnv(readFileSync('.env', 'utf8').trim()),
    ...process.env,
  })
}

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
