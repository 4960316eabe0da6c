import type { BulkAccess } from '@pet-store/persistence'
import { bulkAddingCases } from './bulk-cases/adding.ts'
import { besideRejectedCases } from './bulk-cases/beside-rejected.ts'
import { bulkIdCases } from './bulk-cases/ids.ts'
import { bulkKeyCases } from './bulk-cases/keys.ts'
import { orderCases } from './bulk-cases/orders.ts'
import { bulkReadingAtOnceCases } from './bulk-cases/reading-at-once.ts'
import { bulkRejectingCases } from './bulk-cases/rejecting.ts'
import { takenHashCases } from './bulk-cases/taken-hashes.ts'
import { bulkWritingCases } from './bulk-cases/writing.ts'
import type { ContractCase } from './case/contract-case.ts'

/**
 * The contract of `BulkAccess` by itself. What it has in common with an open adapter is in
 * `persistence-cases/`.
 */
export const bulkAccessContract: readonly ContractCase<BulkAccess>[] = [
  ...bulkAddingCases,
  ...bulkWritingCases,
  ...bulkIdCases,
  ...bulkKeyCases,
  ...takenHashCases,
  ...orderCases,
  ...besideRejectedCases,
  ...bulkRejectingCases,
  ...bulkReadingAtOnceCases,
]
