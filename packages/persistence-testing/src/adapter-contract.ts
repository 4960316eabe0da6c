import type { CreateRateLimiter } from '@pet-store/access'
import type { Persistence } from '@pet-store/persistence'
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
  const onPort = <Port>(part: (opened: Persistence) => Port | undefined, absent: NotShown) =>
    onEmptyDatabase<Port>(async (url, run) => withPersistence(harness, url, (opened) => run(part(opened))), absent)

  return [
    ...casesOn(
      'pets',
      petRepositoryContract,
      onPort(({ pets }) => pets, 'the adapter has no pets'),
    ),
    ...casesOn(
      'API keys',
      apiKeyRepositoryContract,
      onPort(({ apiKeys }) => apiKeys, 'the adapter stores no API keys'),
    ),
    ...casesOn('rate limits', rateLimiterContract, onPort(rateLimiterOf, 'the adapter counts no requests')),
    ...casesOn(
      'bulk access',
      bulkAccessContract,
      onEmptyDatabase((url, run) => withBulkAccess(harness, url, run), 'the adapter has no bulk access'),
    ),
    ...persistenceContract(harness).map((one) => {
      const [group = ''] = /^persistence[.][^.]+/.exec(one.id) ?? []
      return { ...one, capability: CAPABILITIES[group] ?? group }
    }),
  ]

  /** Opens an empty database, and runs a case on a part of what it opened. */
  function onEmptyDatabase<Port>(
    withPort: (
      url: string,
      run: (port: Port | undefined) => Promise<NotShown | undefined>,
    ) => Promise<NotShown | undefined>,
    absent: NotShown,
  ) {
    return async (run: (port: Port) => Promise<NotShown | undefined>) =>
      withPort(await harness.emptyDatabase({ mayHaveSchema: true }), async (port) =>
        port === undefined ? absent : run(port),
      )
  }
}

/** Called on what was opened, which may be an instance of a class. */
function rateLimiterOf(opened: Persistence): CreateRateLimiter | undefined {
  return opened.createRateLimiter && ((limit) => (opened.createRateLimiter as CreateRateLimiter)(limit))
}

function casesOn<Port>(
  capability: string,
  contract: readonly ContractCase<Port, unknown>[],
  onPort: (run: (port: Port) => Promise<NotShown | undefined>) => Promise<NotShown | undefined>,
): readonly AdapterCase[] {
  return contract.map(({ run, ...rest }) => ({
    ...rest,
    capability,
    // Opening and closing belong to the time of the case too.
    run: (limitMs = rest.timeLimitMs) =>
      endWithin(limitMs, () =>
        onPort(async (port) => {
          const result = await run(port, limitMs)
          return typeof result === 'string' ? result : undefined
        }),
      ),
  }))
}
