import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { VerifierOptions } from '@pact-foundation/pact-core'
import type { OpenProvider } from '../providers/open-provider.ts'
import { PROVIDER } from '../states/provider-states.ts'
import { openHarness } from './harness.ts'

/** Where the contracts come from: files, URLs or a broker. */
export type PactSource = Omit<
  VerifierOptions,
  'provider' | 'providerBaseUrl' | 'providerStatesSetupUrl' | 'logLevel'
>

/** The result of a verification. */
export interface Verification {
  readonly holds: boolean
  /** Each verified interaction. */
  readonly interactions: readonly InteractionResult[]
  /** Failures of the verification itself: after one, nothing is known about a contract. */
  readonly problems: readonly string[]
  /** For people: each interaction, how its response differs, and the problems. */
  readonly report: string
}

/** The verifier's result for one interaction. */
export interface InteractionResult {
  readonly description: string
  readonly result: 'OK' | 'Error'
  readonly mismatch?: {
    readonly mismatches?: readonly {
      readonly type: string
      readonly key?: string
      readonly path?: string
    }[]
  }
}

/** The verifier's output. */
interface Results {
  readonly interactionResults: readonly InteractionResult[]
  readonly output: readonly string[]
}

/**
 * Verifies every interaction of the contracts against a provider of its own, which opens within
 * `openWithinMs` (default: 60 s).
 */
export async function verifyPacts(
  source: PactSource,
  openProvider: OpenProvider,
  openWithinMs = 60_000,
): Promise<Verification> {
  const harness = await openHarness(openProvider, openWithinMs)
  try {
    const { baseUrl: providerBaseUrl, statesUrl: providerStatesSetupUrl } = harness
    // The verifier waits longer than a provider may take to open, which it would report as a broken
    // contract.
    const timeout = 2 * openWithinMs + 30_000
    const options = {
      ...source,
      provider: PROVIDER,
      providerBaseUrl,
      providerStatesSetupUrl,
      timeout,
    } as const
    const run = await runVerifier({ ...options, logLevel: 'error' })
    const { interactionResults: interactions, output } = run.results
    const problems = [...harness.problems]
    // Results that a broker rejected, which the verifier does not count as a failure.
    const rejected = run.output
      .split('\n')
      .filter((line) => line.includes('Publishing of verification results failed'))
    const holds = run.code === 0 && problems.length + rejected.length === 0
    return {
      holds,
      interactions,
      problems,
      report: [...output, ...problems, ...rejected].join('\n'),
    }
  } finally {
    await harness.close()
  }
}

interface VerifierRun {
  readonly code: number | null
  readonly results: Results
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
  const output = standardOutput + standardError
  try {
    return { code, results: JSON.parse(found) as Results, output }
  } catch {
    // It ended early: all that it printed.
    return { code, results: { interactionResults: [], output: [output, found] }, output }
  }
}

/** Without the variables that make the verifier skip interactions or use a broker. */
function environment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('PACT_'))
  return { ...Object.fromEntries(others), PACT_DO_NOT_TRACK: 'true' }
}
