import { readFileSync } from 'node:fs'
import { processEnvironment } from './environment.ts'
import { replicasFault, SETTINGS, type Settings, settingsFault, shutdownFault } from './settings.ts'

/** One or more settings that cannot be used; the message has one line for each. */
export class WrongSettings extends Error {
  override readonly name = 'WrongSettings'

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
  }
}

/** What one command asks of the settings besides their form: a line that says what is wrong, or nothing. */
export type SettingsRule = (settings: Partial<Settings>) => string | undefined

/**
 * The environment as typed settings; variables that are absent or empty take their defaults. With `environment.ts` the
 * only place that reads the environment. Throws `WrongSettings` that names all wrong ones at once.
 */
export function readConfig(rules: readonly SettingsRule[] = [], environment = processEnvironment()): Settings {
  const settings: Record<string, unknown> = {}
  const wrong: string[] = []
  for (const [name, setting] of Object.entries(SETTINGS)) {
    try {
      settings[name] = readSetting(setting, environment)
    } catch (error) {
      if (!(error instanceof WrongSettings)) throw error
      wrong.push(error.message)
    }
  }
  wrong.push(
    ...[settingsFault, replicasFault, shutdownFault, ...rules]
      .map((rule) => rule(settings))
      .filter((line) => line !== undefined),
  )
  if (wrong.length > 0) throw new WrongSettings(wrong)
  // Every name of the list was read, or a line was written.
  return settings as Settings
}

/** Where the text of a setting comes from: `environment` means `.env` as well. */
type Origin = 'environment' | 'file' | 'default'

/** The text of a setting that is in effect. */
export interface EffectiveText {
  readonly variable: string
  readonly text: string
  readonly from: Origin
  readonly isSecret: boolean
}

/** The texts of all settings, secrets included. Throws `WrongSettings` where one cannot be found. */
export function effectiveTexts(environment = processEnvironment()): readonly EffectiveText[] {
  return Object.values(SETTINGS).map((setting) => effectiveText(setting, environment))
}

type AnySetting = (typeof SETTINGS)[keyof typeof SETTINGS]

function readSetting(setting: AnySetting, environment: NodeJS.ProcessEnv): unknown {
  const { text, from, variable, isSecret } = effectiveText(setting, environment)
  try {
    return setting.read(text)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const name = from === 'file' ? fileVariable(variable) : variable
    // Before an @ a password may stand, also where none belongs.
    const got = isSecret || text.includes('@') ? '' : `, got ${JSON.stringify(text)}`
    throw new WrongSettings([`${name} ${error.message}${got}`])
  }
}

/** A secret may also lie in a file, as platforms bring secrets, whose path the variable with `_FILE` behind it names. */
function effectiveText(setting: AnySetting, environment: NodeJS.ProcessEnv): EffectiveText {
  const { variable, isSecret } = setting
  const given = environment[variable] || undefined
  const path = isSecret ? environment[fileVariable(variable)] || undefined : undefined
  if (given !== undefined && path !== undefined) {
    throw new WrongSettings([`${variable} and ${fileVariable(variable)} must not both be set`])
  }
  if (path !== undefined) return { variable, text: textIn(path, variable), from: 'file', isSecret }
  if (given !== undefined) return { variable, text: given, from: 'environment', isSecret }
  return { variable, text: setting.default, from: 'default', isSecret }
}

function textIn(path: string, variable: string): string {
  try {
    const text = readFileSync(path, 'utf8').trim()
    // An empty file is one that was not filled yet, and no wish for the default.
    if (text !== '') return text
  } catch (error) {
    throw new WrongSettings([`${fileVariable(variable)} cannot be read: ${(error as Error).message}`])
  }
  throw new WrongSettings([`${fileVariable(variable)} must name a file that is not empty, got ${JSON.stringify(path)}`])
}

function fileVariable(variable: string): string {
  return `${variable}_FILE`
}
