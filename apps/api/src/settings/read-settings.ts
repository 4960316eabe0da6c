import { readFileSync } from 'node:fs'
import { contradictionsIn } from './contradictions.ts'
import { isOfEnvFile, processEnvironment } from './environment.ts'
import { SETTING_LIST, SETTINGS, type Setting, type Settings } from './settings.ts'

/** One or more settings are invalid; the message has one line for each. */
export class InvalidSettings extends Error {
  override readonly name = 'InvalidSettings'
}

/**
 * Reads the environment as typed settings. A variable that is absent or empty has its default.
 * Throws an `InvalidSettings` that names every invalid setting.
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
    ...contradictionsIn(settings),
  ]
  if (mistakes.length > 0) throw new InvalidSettings(mistakes.join('\n'))
  // Every setting was read and is valid, or the error was thrown.
  return settings as Settings
}

/** A setting that is in effect, even if it is invalid. */
export interface EffectiveSetting {
  readonly variable: string
  /** Its text, without secrets. */
  readonly maskedText: string
  /** `file` is one whose path is in a variable with `_FILE` appended. */
  readonly from: 'environment' | '.env' | 'file' | 'default'
  readonly value?: unknown
  /** Why it is invalid; absent if it is valid. */
  readonly mistake?: string
}

/** Reads every setting, in the order of `SETTINGS`. */
export function effectiveSettings(): readonly EffectiveSetting[] {
  const environment = processEnvironment()
  return SETTING_LIST.map((setting) => {
    const read = readSetting(setting, environment)
    return read.from === 'environment' && isOfEnvFile(read.variable)
      ? { ...read, from: '.env' }
      : read
  })
}

/**
 * Reads a setting. A secret may be in a file, as platforms mount secrets, whose path is in the
 * variable with `_FILE` appended.
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
    // A text with an @ is not repeated, because a password may be before it.
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
    // An empty file was probably not written yet, so it does not mean the default.
    if (text !== '') return text
  } catch (error) {
    throw new RangeError(`cannot be read: ${(error as Error).message}`)
  }
  throw new RangeError(`must name a file that is not empty, got ${JSON.stringify(path)}`)
}
