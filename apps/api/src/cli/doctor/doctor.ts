import { persistenceAdapter } from '../../persistence/persistence-adapter.ts'
import { misspeltVariables } from '../../settings/misspelt-variables.ts'
import { InvalidSettings, readSettings } from '../../settings/read-settings.ts'
import { VERSION } from '../../settings/version.ts'
import { examineDatabase } from './examine-database.ts'
import { examineSystem } from './examine-system.ts'
import type { Finding } from './finding.ts'

/**
 * Checks everything that a start depends on, and changes nothing. Exit code 1 if something prevents
 * a start.
 */
export async function doctor({ json = false }: { json?: boolean }): Promise<void> {
  const findings: Finding[] = []
  for await (const finding of examine()) {
    const { check, state, message, remedy } = finding
    findings.push(finding)
    if (state === 'error') process.exitCode = 1
    if (json) continue
    console.log(`${state.padEnd(7)}  ${check.padEnd(10)}  ${message}`)
    if (remedy !== undefined) console.log(`${' '.repeat(21)}-> ${remedy}`)
  }
  if (json) console.log(JSON.stringify(findings, undefined, 2))
}

async function* examine(): AsyncGenerator<Finding> {
  yield {
    check: 'program',
    state: 'ok',
    message: `pet-store ${VERSION}, Node ${process.versions.node}`,
  }
  for (const { name, meant } of misspeltVariables()) {
    yield {
      check: 'settings',
      state: 'warning',
      message: `${name} is not a setting`,
      remedy: `did you mean ${meant}?`,
    }
  }
  try {
    const settings = readSettings()
    // The adapter of a database checks what settings do not know of its URL.
    if (settings.persistenceModule === '') await persistenceAdapter(settings)
    yield {
      check: 'settings',
      state: 'ok',
      message: 'every setting is valid',
      remedy: 'pet-store config shows them',
    }
    const canExamineDatabase = yield* examineSystem(settings)
    if (canExamineDatabase) yield* examineDatabase(settings)
  } catch (error) {
    if (!(error instanceof InvalidSettings)) throw error
    for (const message of error.message.split('\n')) {
      yield { check: 'settings', state: 'error', message, remedy: 'see pet-store serve --help' }
    }
  }
}
