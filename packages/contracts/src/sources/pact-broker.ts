import { spawnSync } from 'node:child_process'
import { PROVIDER } from '../states/provider-states.ts'
import type { PactSource } from '../verification/verify-pacts.ts'
import type { PactFile } from './pact-files.ts'

/** Where contracts are shared. */
export interface PactBroker {
  readonly url: string
  readonly token: string | undefined
}

/** The broker of the environment; `undefined` if there is none. */
export function brokerOf(environment: NodeJS.ProcessEnv = process.env): PactBroker | undefined {
  const url = environment['PACT_BROKER_BASE_URL']
  return url ? { url, token: environment['PACT_BROKER_TOKEN'] || undefined } : undefined
}

/**
 * The contracts of the consumers' main branches, of their branches with the name of ours, and of deployed versions. The
 * results are reported to the broker. A contract that has never held does not fail the verification.
 */
export function contractsIn({ url, token }: PactBroker, version: GitVersion): PactSource {
  return {
    provider: PROVIDER,
    pactBrokerUrl: url,
    ...(token !== undefined && { pactBrokerToken: token }),
    consumerVersionSelectors: [{ mainBranch: true }, { matchingBranch: true }, { deployedOrReleased: true }],
    enablePending: true,
    failIfNoPactsFound: false,
    ...resultsOf(version),
  }
}

function resultsOf({ commit, branch }: GitVersion) {
  return { publishVerificationResult: true, providerVersion: commit, providerVersionBranch: branch }
}

/** Contracts at URLs, such as that of a broker's webhook. The results are reported to the broker that serves them. */
export function contractsAt(urls: readonly string[], broker: PactBroker | undefined, version?: GitVersion): PactSource {
  return {
    provider: PROVIDER,
    pactUrls: [...urls],
    ...(broker?.token !== undefined && { pactBrokerToken: broker.token }),
    ...(version && resultsOf(version)),
  }
}

const PUBLISHED = { providerName: PROVIDER, specification: 'pact', contentType: 'application/json' }

/** Publishes a contract for a commit and returns the broker's notices. Rejects if the broker does. */
export async function publishContract(
  broker: PactBroker,
  { consumer, text }: PactFile,
  { commit, branch }: GitVersion,
): Promise<readonly string[]> {
  const { _links } = await ask<{ _links?: Record<string, { href: string }> }>(broker, broker.url)
  const href = _links?.['pb:publish-contracts']?.href
  if (href === undefined) throw new Error(`${broker.url} is not a Pact broker that accepts contracts.`)
  const { notices = [] } = await ask<{ notices?: readonly { text: string }[] }>(broker, href, {
    pacticipantName: consumer,
    pacticipantVersionNumber: commit,
    branch,
    contracts: [{ consumerName: consumer, ...PUBLISHED, content: Buffer.from(text).toString('base64') }],
  })
  return notices.map((notice) => notice.text)
}

async function ask<T>({ token }: PactBroker, url: string, body?: object): Promise<T> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      Accept: 'application/hal+json, application/json',
      ...(body && { 'Content-Type': 'application/json' }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`The broker responded ${response.status}: ${text.slice(0, 1_000)}`)
  return JSON.parse(text) as T
}

/** The commit and branch for which a broker records contracts and results. */
export interface GitVersion {
  readonly commit: string
  readonly branch: string
}

/** `GIT_COMMIT` and `GIT_BRANCH`; default: those of git. Throws if there are none. */
export function gitVersion(environment: NodeJS.ProcessEnv = process.env): GitVersion {
  const commit = environment['GIT_COMMIT'] || git('rev-parse', 'HEAD')
  const branch = environment['GIT_BRANCH'] || git('branch', '--show-current')
  if (commit && branch) return { commit, branch }
  throw new RangeError('git has no commit and branch here: set GIT_COMMIT and GIT_BRANCH.')
}

function git(...args: readonly string[]): string {
  const { stdout } = spawnSync('git', args, { encoding: 'utf8', cwd: import.meta.dirname })
  return (stdout ?? '').trim()
}
