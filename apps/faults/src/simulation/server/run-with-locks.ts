import { StatementFailure } from '@pet-store/testing-postgres'
import type { Result } from '../sql/execute.ts'
import { type Transaction, WaitsFor } from '../sql/tables.ts'
import { StatementError } from '../sql/values.ts'

/** Runs a statement, and again after each transaction that it had to wait for. */
export async function runWithLocks(transaction: Transaction, run: () => Result): Promise<Result> {
  for (;;) {
    const before = transaction.changes
    try {
      return run()
    } catch (error) {
      transaction.undoTo(before)
      if (error instanceof StatementError) throw failureOf(error)
      if (!(error instanceof WaitsFor)) throw error
      await ended(error.transaction, transaction.lockTimeoutMs)
      if (transaction.state !== 'active') throw failureOf(new StatementError('57014', 'canceled'))
    }
  }
}

/** Waits until a transaction has ended, at most for `timeoutMs`; 0: without a limit. */
async function ended(transaction: Transaction, timeoutMs: number): Promise<void> {
  if (timeoutMs === 0) return transaction.whenEnded()
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    const late = new StatementError('55P03', 'canceling statement due to lock timeout')
    timer = setTimeout(() => reject(failureOf(late)), timeoutMs)
  })
  await Promise.race([transaction.whenEnded(), timeout]).finally(() => clearTimeout(timer))
}

function failureOf({ code, message }: StatementError): StatementFailure {
  return new StatementFailure({ severity: 'ERROR', code, message })
}
