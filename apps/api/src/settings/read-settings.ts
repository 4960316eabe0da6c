import { readFileSync } from 'node:fs'
import { processEnvironment } from './environment.ts'
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
