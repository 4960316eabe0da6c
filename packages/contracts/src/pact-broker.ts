import type { GitVersion } from './git-version.ts'
import type { PactFile } from './pact-files.ts'
import { PROVIDER } from './provider-states.ts'
import type { PactSource } from './verify-pacts.ts'

/** Where contracts are shared. */
export interface PactBroker {
  readonly url: string
  readonly token: string | undefined
}

/** The broker that the environment names, or nothing. */
export function brokerOf(environment: NodeJS.ProcessEnv = process.env): PactBroker | undefined {
  const url = environment['PACT_BROKER_BASE_URL']
  return url ? { url, token: environment['PACT_BROKER_TOKEN'] || undefined } : undefined
}

/**
 * The contracts that matter to a broker: of the consumers' main branches, of the branch with our name, and of what runs
 * somewhere. What comes of each is reported there. A contract that never held yet does not fail the verification.
 */
export function contractsOf({ url, token }: PactBroker, { commit, branch }: GitVersion): PactSource {
  return {
    provider: PROVIDER,
    pactBrokerUrl: url,
    ...(token !== undefined && { pactBrokerToken: token }),
    consumerVersionSelectors: [{ mainBranch: true }, { matchingBranch: true }, { deployedOrReleased: true }],
    enablePending: true,
    failIfNoPactsFound: false,
    publishVerificationResult: true,
    providerVersion: commit,
    providerVersionBranch: branch,
  }
}

/** Publishes contracts as those of a commit, and gives what the broker has to say. Rejects where it refuses. */
export async function publishContracts(
  broker: PactBroker,
  pacts: readonly PactFile[],
  { commit, branch }: GitVersion,
): Promise<readonly string[]> {
  const { _links } = await ask<{ _links?: Record<string, { href: string }> }>(broker, broker.url)
  const href = _links?.['pb:publish-contracts']?.href
  if (href === undefined) throw new Error(`${broker.url} is no Pact broker that takes contracts.`)
  const notices: string[] = []
  for (const { consumer, text } of pacts) {
    const answer = await ask<{ notices?: readonly { text: string }[] }>(broker, href, {
      pacticipantName: consumer,
      pacticipantVersionNumber: commit,
      branch,
      contracts: [
        {
          consumerName: consumer,
          providerName: PROVIDER,
          specification: 'pact',
          contentType: 'application/json',
          content: Buffer.from(text).toString('base64'),
        },
      ],
    })
    notices.push(...(answer.notices ?? []).map((notice) => notice.text))
  }
  return notices
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
  if (!response.ok) throw new Error(`The broker answered ${response.status}: ${text.slice(0, 1_000)}`)
  return JSON.parse(text) as T
}
