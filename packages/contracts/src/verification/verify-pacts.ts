import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { VerifierOptions } from '@pact-foundation/pact-core'
import type { OpenProvider } from '../providers/open-provider.ts'
import { openHarness } from './harness.ts'

/** Where the contracts come from: files, URLs or a broker. */
export type PactSource = Omit<VerifierOptions, 'providerBaseUrl' | 'providerStatesSetupUrl' | 'logLevel'>

/** The result of a verification. */
export interface Verification {
  readonly holds: boolean
  /** Each verified interaction. */
  readonly interactions: readonly InteractionResult[]
  /** For people: each interaction, and how its response differs. */
  readonly report: string
}

/** The verifier's result for one interaction. */
export interface InteractionResult {
  readonly description: string
  readonly result: 'OK' | 'Error'
  readonly mismatch?: {
    readonly mismatches?: readonly { readonly type: string; readonly key?: string; readonly path?: string }[]
  }
}

/** The verifier's output. */
interface Results {
  readonly interactionResults: readonly InteractionResult[]
  readonly output: readonly string[]
}

/** Verifies every interaction of the contracts against a provider of its own. */
export async function verifyPacts(source: PactSource, openProvider: OpenProvider): Promise<Verification> {
  const harness = await openHarness(openProvider)
  try {
    const { baseUrl: providerBaseUrl, statesUrl: providerStatesSetupUrl } = harness
    const run = await runVerifier({ ...source, providerBaseUrl, providerStatesSetupUrl, logLevel: 'error' })
    const { interactionResults: interactions, output } = readResults(run)
    const problems = [...harness.problems, ...unreported(run)]
    return { holds: run.code === 0 && problems.length === 0, interactions, report: [...output, ...problems].join('\n') }
  } finally {
    await harness.close()
  }
}

/** Results that a broker rejected, which the verifier does not count as a failure. */
function unreported({ output }: VerifierRun): readonly string[] {
  return output.split('\n').filter((line) => line.includes('Publishing of verification results failed'))
}

/** The results, or all output of a verifier that ended early. */
function readResults({ results, output }: VerifierRun): Results {
  try {
    return JSON.parse(results) as Results
  } catch {
    return { interactionResults: [], output: [output, results] }
  }
}

interface VerifierRun {
  readonly code: number | null
  /** JSON, unless the verifier ended early. */
  readonly results: string
  readonly output: string
}

async function runVerifier(options: VerifierOptions): Promise<VerifierRun> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run-verifier.ts')], {
    env: environment(),
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  const [stdin, stdout, stderr, results] = child.stdio
  stdin.end(JSON.stringify(options))
  const texts = [stdout, stderr, results].map((stream) => text(stream as Readable))
  const [code] = (await once(child, 'close')) as [number | null]
  const [standardOutput = '', standardError = '', found = ''] = await Promise.all(texts)
  return { code, results: found, output: standardOutput + standardError }
}

/** Without the variables that make the verifier skip interactions or use a broker. */
function environment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('PACT_'))
  return { ...Object.fromEntries(others), PACT_DO_NOT_TRACK: 'true' }
}
