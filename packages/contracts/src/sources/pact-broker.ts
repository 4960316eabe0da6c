import { spawnSync } from 'node:child_process'
import type { PactSource } from '../verification/verify-pacts.ts'

/** Where contracts are shared. */
export interface PactBroker {
  readonly url: string
  readonly token: string | undefined
}

/** The broker of the environment; `undefined` if there is none. */
export function brokerOfEnvironment(): PactBroker | undefined {
  const { PACT_BROKER_BASE_URL: url, PACT_BROKER_TOKEN: token } = process.env
  return url ? { url, token: token || undefined } : undefined
}

/**
 * The contracts of the consumers' main branches, of their branches with the same name as this one,
 * and of deployed versions. A contract that has never held does not fail the verification.
 */
export const SELECTED_CONTRACTS: PactSource = {
  consumerVersionSelectors: [
    { mainBranch: true },
    { matchingBranch: true },
    { deployedOrReleased: true },
  ],
  enablePending: true,
  failIfNoPactsFound: false,
}

/**
 * Reports the results for `GIT_COMMIT` and `GIT_BRANCH`; default: what git says. Throws if there is
 * neither.
 */
export function reportingTo({ token }: PactBroker): PactSource {
  const commit = process.env['GIT_COMMIT'] || git('rev-parse', 'HEAD')
  const branch = process.env['GIT_BRANCH'] || git('branch', '--show-current')
  if (!commit || !branch)
    throw new RangeError('git has no commit and branch here: set GIT_COMMIT and GIT_BRANCH.')
  console.log(`Results are reported for ${commit} on ${branch}.`)
  return {
    ...(token !== undefined && { pactBrokerToken: token }),
    publishVerificationResult: true,
    providerVersion: commit,
    providerVersionBranch: branch,
  }
}

function git(...args: readonly string[]): string {
  const { stdout } = spawnSync('git', args, { encoding: 'utf8', cwd: import.meta.dirname })
  return (stdout ?? '').trim()
}
