import { failure } from './session-statements.ts'

/** The error with which the server ends a statement that takes too long. */
export function timedOut(): Error {
  return failure('57014', 'canceling statement due to statement timeout')
}

/** Waits for a statement. Rejects as the server does if it takes longer; 0 for no limit. */
export async function inTime<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> {
  if (timeoutMs === 0) return work
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut()), timeoutMs)
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}
