import { existsSync } from 'node:fs'
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
 * The environment as typed settings; variables that are absent or empty take their defaults. The only place that
 * reads the environment. Throws `WrongSettings` that names all wrong ones at once.
 */
export function readConfig(rules: readonly SettingsRule[] = [], environment = processEnvironment()): Settings {
  const settings: Record<string, unknown> = {}
  const wrong: string[] = []
  for (const [name, { variable, default: otherwise, isSecret, read }] of Object.entries(SETTINGS)) {
    const text = environment[variable] || otherwise
    try {
      settings[name] = read(text)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      wrong.push(`${variable} ${error.message}${isSecret ? '' : `, got ${JSON.stringify(text)}`}`)
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

/** The environment of the process, and under it the file `.env` of the working directory where there is one. */
function processEnvironment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env')
  return process.env
}
