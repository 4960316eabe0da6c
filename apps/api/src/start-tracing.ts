import { InvalidSettings, readSettings } from './settings/read-settings.ts'
import type { Settings } from './settings/settings.ts'

// Runs before the program is loaded, because instrumentation patches modules while they are loaded.
const settings = validSettings()
if (settings !== undefined && settings.otlpEndpoint !== '') {
  const { startTracing } = await import('./observability/tracing.ts')
  startTracing(settings)
}

/** The program itself reports settings that are invalid. */
function validSettings(): Settings | undefined {
  try {
    return readSettings()
  } catch (error) {
    if (error instanceof InvalidSettings) return undefined
    throw error
  }
}
