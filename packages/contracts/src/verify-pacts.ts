import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { VerifierOptions } from '@pact-foundation/pact-core'
import type { OpenProvider } from './open-provider.ts'
import { openStage } from './stage.ts'

/** Where the contracts come from: files, or whatever else the verifier knows. */
export type PactSource = Omit<VerifierOptions, 'providerBaseUrl' | 'providerStatesSetupUrl' | 'logLevel'>

/** What came of a verification. */
export interface Verification {
  readonly holds: boolean
  /** Each interaction that was played. */
  readonly interactions: readonly InteractionResult[]
  /** For people: each interaction, and how an answer differs. */
  readonly report: string
}

/** One interaction, as the verifier tells of it. */
export interface InteractionResult {
  readonly description: string
  readonly result: 'OK' | 'Error'
  readonly mismatch?: {
    readonly mismatches?: readonly { readonly type: string; readonly key?: string; readonly path?: string }[]
  }
}

/** What the verifier found. */
interface Results {
  readonly interactionResults: readonly InteractionResult[]
  readonly output: readonly string[]
}

/** Plays every interaction of the contracts to a new provider each, and compares the answers. */
export async function verifyPacts(source: PactSource, openProvider: OpenProvider): Promise<Verification> {
  const stage = await openStage(openProvider)
  try {
    const { baseUrl: providerBaseUrl, statesUrl: providerStatesSetupUrl } = stage
    const run = await runVerifier({ ...source, providerBaseUrl, providerStatesSetupUrl, logLevel: 'error' })
    const { interactionResults: interactions, output } = readResults(run)
    const problems = [...stage.problems, ...unreported(run)]
    return { holds: run.code === 0 && problems.length === 0, interactions, report: [...output, ...problems].join('\n') }
  } finally {
    await stage.close()
  }
}

/** Results that a broker did not take. To the verifier that is no failure; to whoever waits for them it is. */
function unreported({ output }: VerifierRun): readonly string[] {
  return output.split('\n').filter((line) => line.includes('Publishing of verification results failed'))
}

/** What the verifier found, or where it did not come so far, all that it said. */
function readResults({ results, output }: VerifierRun): Results {
  try {
    return JSON.parse(results) as Results
  } catch {
    return { interactionResults: [], output: [output, results] }
  }
}

interface VerifierRun {
  readonly code: number | null
  /** JSON, unless something kept it from its work. */
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
  const [said = '', complained = '', found = ''] = await Promise.all(texts)
  return { code, results: found, output: said + complained }
}

/** Without the switches by which the verifier would leave interactions out, or ask a broker that nobody named. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PACT_'))
  return { ...Object.fromEntries(kept), PACT_DO_NOT_TRACK: 'true' }
}
