import type { CreateRateLimiter } from '@pet-store/access'
import type { BulkAccess, Persistence } from '@pet-store/persistence'
import { apiKeyRepositoryContract } from './api-key-repository-contract.ts'
import { bulkAccessContract } from './bulk-access-contract.ts'
import { type ContractCase, endWithin } from './contract-case.ts'
import { type PersistenceCase, persistenceContract } from './persistence-contract.ts'
import { type NotShown, type PersistenceHarness, withBulkAccess, withPersistence } from './persistence-harness.ts'
import { petRepositoryContract } from './pet-repository-contract.ts'
import { rateLimiterContract } from './rate-limiter-contract.ts'

/** A guarantee of an adapter: of one of its ports, or of the whole. */
export interface AdapterCase extends PersistenceCase {
  /** What the guarantee belongs to, in one or two words. */
  readonly capability: string
}

const CAPABILITIES: Readonly<Record<string, string>> = {
  'persistence.reopen': 'durability',
  'persistence.shared': 'several processes',
  'persistence.killed': 'durability',
  'persistence.migrate': 'migrations',
  'persistence.bulk': 'bulk access',
  'persistence.unavailable': 'unavailability',
  'persistence.declared': 'capabilities',
}

/**
 * Every guarantee of an adapter: the contracts of its ports, each case on an empty database, and `persistenceContract`. Run
 * the cases one after the other.
 */
export function adapterContract(harness: PersistenceHarness): readonly AdapterCase[] {
  const opened =
    <Port>(part: (opened: Persistence) => Port | undefined): WithPort<Port> =>
    (url, work) =>
      withPersistence(harness, url, (persistence) => work(part(persistence)))
  const bulkAccess: WithPort<BulkAccess> = (url, work) => withBulkAccess(harness, url, work)

  /** The cases of a port, each on an empty database. */
  function casesOn<Port>(
    capability: string,
    contract: readonly ContractCase<Port>[],
    withPort: WithPort<Port>,
    absent: NotShown,
  ): readonly AdapterCase[] {
    return contract.map(({ run, ...rest }) => ({
      ...rest,
      capability,
      // Opening and closing belong to the time of the case too.
      run: (limitMs = rest.timeLimitMs) =>
        endWithin(limitMs, async () =>
          withPort(await harness.emptyDatabase({ mayHaveSchema: true }), async (port) => {
            if (port === undefined) return absent
            await run(port, limitMs)
            return undefined
          }),
        ),
    }))
  }

  const pets = opened((persistence) => persistence.pets)
  const apiKeys = opened(({ apiKeys }) => apiKeys)
  return [
    ...casesOn('pets', petRepositoryContract, pets, 'the adapter has no pets'),
    ...casesOn('API keys', apiKeyRepositoryContract, apiKeys, 'the adapter stores no API keys'),
    ...casesOn('rate limits', rateLimiterContract, opened(rateLimiterOf), 'the adapter counts no requests'),
    ...casesOn('bulk access', bulkAccessContract, bulkAccess, 'the adapter has no bulk access'),
    ...persistenceContract(harness).map((one) => {
      const [group = ''] = /^persistence[.][^.]+/.exec(one.id) ?? []
      return { ...one, capability: CAPABILITIES[group] ?? group }
    }),
  ]
}

/** Opens a database for a case of a port, which is `undefined` where the adapter has none. */
type WithPort<Port> = (
  url: string,
  work: (port: Port | undefined) => Promise<NotShown | undefined>,
) => Promise<NotShown | undefined>

/** Called on what was opened, which may be an instance of a class. */
function rateLimiterOf(opened: Persistence): CreateRateLimiter | undefined {
  return opened.createRateLimiter && ((limit) => (opened.createRateLimiter as CreateRateLimiter)(limit))
}
