import type { Persistence } from '@pet-store/persistence'
import { withDatabasesApart } from './adapter/databases-apart.ts'
import {
  apiKeysOf,
  rateLimiterOf,
  withBulkAccess,
  withPersistence,
} from './adapter/with-persistence.ts'
import { apiKeyRepositoryContract } from './api-key-repository-contract.ts'
import { bulkAccessContract } from './bulk-access-contract.ts'
import { bulkWorkingCases } from './call-cases/bulk-working.ts'
import { manyCallsCases } from './call-cases/many-calls.ts'
import type { ContractCase } from './case/contract-case.ts'
import { NotTested } from './case/not-tested.ts'
import { repeatIfBusy } from './case/repeat-if-busy.ts'
import { endCaseWithin } from './case/time-limit.ts'
import { contextCases } from './declared-cases/contexts.ts'
import { declaringCases } from './declared-cases/declaring.ts'
import { followingReplicaCases } from './declared-cases/following-replicas.ts'
import { poolCases } from './declared-cases/pools.ts'
import { promiseCases } from './declared-cases/promises.ts'
import { replicaCases } from './declared-cases/replicas.ts'
import { reportingCases } from './declared-cases/reporting.ts'
import { assertHarness } from './harness/harness-members.ts'
import type { HarnessCase, PersistenceHarness } from './harness/persistence-harness.ts'
import { quickRejections } from './harness/quick-rejections.ts'
import { interleavedCases } from './interleaved-cases/interleaved.ts'
import { killedWhileAddingCases } from './killed-cases/adding-pets.ts'
import { killedWhileChangingKeysCases } from './killed-cases/changing-keys.ts'
import { killedInBulkCases } from './killed-cases/writing-in-bulk.ts'
import { acknowledgedBulkCases } from './outage-cases/acknowledged-bulk.ts'
import { backgroundCases } from './outage-cases/background.ts'
import { cancelledCases } from './outage-cases/cancelled.ts'
import { closedCases } from './outage-cases/closed.ts'
import { frozenCases } from './outage-cases/frozen.ts'
import { frozenBulkCases } from './outage-cases/frozen-bulk.ts'
import { fullCases } from './outage-cases/full.ts'
import { keysOnceCases } from './outage-cases/keys-once.ts'
import { limitsOnceCases } from './outage-cases/limits-once.ts'
import { longOutageCases } from './outage-cases/long-outages.ts'
import { lostConnectionsCases } from './outage-cases/lost-connections.ts'
import { manyRejectedCases } from './outage-cases/many-rejected.ts'
import { unavailableCases } from './outage-cases/unavailable.ts'
import { unavailableBulkCases } from './outage-cases/unavailable-bulk.ts'
import { bulkAndKeysCases } from './persistence-cases/bulk-and-keys.ts'
import { bulkAndPetsCases } from './persistence-cases/bulk-and-pets.ts'
import { bulkBesideCallsCases } from './persistence-cases/bulk-beside-calls.ts'
import { bulkFreshKeyCases } from './persistence-cases/bulk-fresh-keys.ts'
import { bulkFreshReadCases } from './persistence-cases/bulk-fresh-reads.ts'
import { bulkMovedIdCases } from './persistence-cases/bulk-moved-ids.ts'
import { bulkReadOnlyCases } from './persistence-cases/bulk-read-only.ts'
import { bulkWrittenIdCases } from './persistence-cases/bulk-written-ids.ts'
import { clockCases } from './persistence-cases/clock.ts'
import { clockJumpCases } from './persistence-cases/clock-jumps.ts'
import { closingCases } from './persistence-cases/closing.ts'
import { deletedPetCases } from './persistence-cases/deleted-pets.ts'
import { migratingCases } from './persistence-cases/migrating.ts'
import { openingCases } from './persistence-cases/opening.ts'
import { reopeningCases } from './persistence-cases/reopening.ts'
import { timeZoneCases } from './persistence-cases/time-zones.ts'
import { petRepositoryContract } from './pet-repository-contract.ts'
import { rateLimiterContract } from './rate-limiter-contract.ts'
import { outageSequenceCases } from './sequence-cases/outage-sequences.ts'
import { sequenceCases } from './sequence-cases/sequences.ts'
import { closingOneCases } from './sharing-cases/closing-one.ts'
import { keysBesideBulkCases } from './sharing-cases/keys-beside-bulk.ts'
import { keysBesideImportsCases } from './sharing-cases/keys-beside-imports.ts'
import { readsUnderWayCases } from './sharing-cases/reads-under-way.ts'
import { replacingAtOnceCases } from './sharing-cases/replacing-at-once.ts'
import { sharingCases } from './sharing-cases/sharing.ts'
import { sharingBetweenProcessesCases } from './sharing-cases/sharing-between-processes.ts'
import { sharingExpiredKeysCases } from './sharing-cases/sharing-expired-keys.ts'
import { singleProcessCases } from './sharing-cases/single-process.ts'

/** A guarantee of an adapter as a function that checks it: of one of its ports, or of the whole. */
export interface AdapterCase {
  readonly id: string
  readonly name: string
  /** What the guarantee belongs to, in one or two words. */
  readonly capability: string
  readonly timeLimitMs: number
  /**
   * Rejects when the guarantee is broken, or after the time limit. Resolves with `undefined` when
   * it has passed, else with the reason why it was not tested.
   */
  readonly run: (timeLimitMs?: number) => Promise<string | undefined>
}

/**
 * Every guarantee of an adapter: the contracts of its ports, each case on an empty database, and
 * what one open port cannot show. Run the cases one after the other. Throws if the harness has a
 * member that no case uses.
 */
export function adapterContract(given: PersistenceHarness): readonly AdapterCase[] {
  assertHarness(given)
  const rejections = quickRejections(withDatabasesApart(given))
  const { harness } = rejections
  const opened =
    <Port>(part: (opened: Persistence) => Port): WithPort<Port> =>
    (url, work) =>
      withPersistence(harness, url, (persistence) => work(part(persistence)))

  /**
   * The cases of a port, each on an empty database. Opening and closing belong to the time of the
   * case too.
   */
  const onEmptyDatabase = <Port>(
    contract: readonly ContractCase<Port>[],
    withPort: WithPort<Port>,
  ): readonly HarnessCase[] =>
    contract.map(({ run, ...rest }) => ({
      ...rest,
      run: (_, limitMs = rest.timeLimitMs) =>
        endCaseWithin(limitMs, async () =>
          withPort(await harness.emptyDatabase({ mayHaveSchema: true }), (port) =>
            run(port, limitMs),
          ),
        ),
    }))

  return Object.entries({
    pets: onEmptyDatabase(
      petRepositoryContract,
      opened(({ pets }) => pets),
    ),
    'API keys': onEmptyDatabase(apiKeyRepositoryContract, opened(apiKeysOf)),
    'rate limits': onEmptyDatabase(rateLimiterContract, opened(rateLimiterOf)),
    'bulk access': [
      ...onEmptyDatabase(bulkAccessContract, (url, work) => withBulkAccess(harness, url, work)),
      ...bulkAndPetsCases,
      ...bulkAndKeysCases,
      ...bulkReadOnlyCases,
      ...bulkFreshReadCases,
      ...bulkBesideCallsCases,
      ...keysBesideBulkCases,
      ...bulkFreshKeyCases,
      ...bulkWrittenIdCases,
      ...bulkMovedIdCases,
      ...bulkWorkingCases,
      ...keysBesideImportsCases,
      ...killedInBulkCases,
    ],
    durability: [
      ...reopeningCases,
      ...closingCases,
      ...deletedPetCases,
      ...timeZoneCases,
      ...killedWhileAddingCases,
      ...killedWhileChangingKeysCases,
    ],
    [SEQUENCES]: [...sequenceCases, ...outageSequenceCases],
    'interleaved calls': interleavedCases,
    opening: openingCases,
    'several processes': [
      ...sharingCases,
      ...closingOneCases,
      ...readsUnderWayCases,
      ...sharingBetweenProcessesCases,
      ...replacingAtOnceCases,
      ...sharingExpiredKeysCases,
      ...singleProcessCases,
    ],
    migrations: migratingCases,
    unavailability: [
      ...unavailableCases,
      ...longOutageCases,
      ...frozenCases,
      ...cancelledCases,
      ...fullCases,
      ...closedCases,
      ...backgroundCases,
      ...unavailableBulkCases,
      ...acknowledgedBulkCases,
      ...frozenBulkCases,
      ...lostConnectionsCases,
      ...manyRejectedCases,
      ...keysOnceCases,
      ...limitsOnceCases,
    ],
    capabilities: [
      ...declaringCases,
      ...promiseCases,
      ...clockCases,
      ...clockJumpCases,
      ...reportingCases,
      ...contextCases,
      ...poolCases,
      ...manyCallsCases,
      ...replicaCases,
      ...followingReplicaCases,
    ],
  }).flatMap(([capability, cases]) =>
    cases.map(({ run, timeLimitMs: usualMs, ...rest }) => {
      const times = capability === SEQUENCES ? (harness.randomCalls?.times ?? 1) : 1
      const timeLimitMs = usualMs * times
      return {
        ...rest,
        capability,
        timeLimitMs,
        run: async (limitMs = timeLimitMs) => {
          try {
            await repeatIfBusy(() => {
              rejections.begin()
              return run(harness, limitMs)
            }, rejections.isQuick)
          } catch (error) {
            if (error instanceof NotTested) return error.message
            throw error
          }
          return undefined
        },
      }
    }),
  )
}

/** The capability whose cases take longer with more random calls. */
const SEQUENCES = 'sequences of calls'

/** Opens a database for a case of a port. */
type WithPort<Port> = (url: string, work: (port: Port) => Promise<void>) => Promise<void>
