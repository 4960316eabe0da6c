import { readFileSync } from 'node:fs'
import { processEnvironment } from './environment.ts'
import { SETTINGS, SETTINGS_RULES, type Setting, type Settings, type SettingsRule } from './settings.ts'

/** One or more settings are invalid; the message has one line for each. */
export class InvalidSettings extends Error {
  override readonly name = 'InvalidSettings'

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
  }
}

/**
 * The environment as typed settings; variables that are absent or empty take their defaults. With `environment.ts` the
 * only place that reads the environment. Throws `InvalidSettings` that names every invalid setting at once.
 */
export function readSettings(rules: readonly SettingsRule[] = [], environment = processEnvironment()): Settings {
  const settings: Record<string, unknown> = {}
  const invalid: string[] = []
  for (const [name, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    try {
      settings[name] = readSetting(setting, environment)
    } catch (error) {
      if (!(error instanceof InvalidSettings)) throw error
      invalid.push(error.message)
    }
  }
  invalid.push(...[...SETTINGS_RULES, ...rules].map((rule) => rule(settings)).filter((line) => line !== undefined))
  if (invalid.length > 0) throw new InvalidSettings(invalid)
  // Every name of the list was read, or a line was written.
  return settings as Settings
}

/** Where the text of a setting comes from: `environment` includes `.env`. */
type Origin = 'environment' | 'file' | 'default'

/** The text of a setting that is in effect, as it may be shown. */
export interface EffectiveText {
  readonly variable: string
  readonly maskedText: string
  readonly from: Origin
}

/** The texts of all settings, valid or not, secrets masked. */
export function effectiveTexts(environment = processEnvironment()): readonly EffectiveText[] {
  return Object.values<Setting<unknown>>(SETTINGS).map((setting) => {
    const { variable } = setting
    try {
      const { text, from } = textOf(setting, environment)
      return { variable, maskedText: maskedTextOf(setting, text), from }
    } catch (error) {
      if (!(error instanceof InvalidSettings)) throw error
      return { variable, maskedText: '(cannot be read)', from: 'file' }
    }
  })
}

function maskedTextOf(setting: Setting<unknown>, text: string): string {
  if (text === '') return text
  if (setting.mask !== undefined) return setting.mask(text)
  return setting.isSecret ? '***' : text
}

function readSetting(setting: Setting<unknown>, environment: NodeJS.ProcessEnv): unknown {
  const { text, from } = textOf(setting, environment)
  try {
    return setting.parse(text)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const name = from === 'file' ? fileVariable(setting.variable) : setting.variable
    const shown = maskedTextOf(setting, text)
    // A password may stand before an @, even where none belongs.
    const got = setting.isSecret || shown === '***' || text.includes('@') ? '' : `, got ${JSON.stringify(shown)}`
    throw new InvalidSettings([`${name} ${error.message}${got}`])
  }
}

/** The text of a setting. A secret may be in a file, named by the variable with `_FILE` appended, as platforms mount secrets. */
function textOf(
  setting: Setting<unknown>,
  environment: NodeJS.ProcessEnv,
): { readonly text: string; readonly from: Origin } {
  const { variable, isSecret } = setting
  const given = environment[variable] || undefined
  const path = isSecret ? environment[fileVariable(variable)] || undefined : undefined
  if (given !== undefined && path !== undefined) {
    throw new InvalidSettings([`${variable} and ${fileVariable(variable)} must not both be set`])
  }
  if (path !== undefined) return { text: textOfFile(path, variable), from: 'file' }
  if (given !== undefined) return { text: given, from: 'environment' }
  return { text: setting.default, from: 'default' }
}

function textOfFile(path: string, variable: string): string {
  try {
    const text = readFileSync(path, 'utf8').trim()
    // An empty file was probably not written yet; it does not ask for the default.
    if (text !== '') return text
  } catch (error) {
    throw new InvalidSettings([`${fileVariable(variable)} cannot be read: ${(error as Error).message}`])
  }
  throw new InvalidSettings([
    `${fileVariable(variable)} must name a file that is not empty, got ${JSON.stringify(path)}`,
  ])
}

function fileVariable(variable: string): string {
  return `${variable}_FILE`
}
