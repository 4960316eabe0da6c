import { failure } from './session-statements.ts'

/** Why the server ends a statement that takes too long. */
export function timedOut(): Error {
  return failure('57014', 'canceling statement due to statement timeout')
}

/** Rejects as the server does when a statement takes longer; 0 for no limit. */
export async function inTime<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> {
  if (timeoutMs === 0) return work
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut()), timeoutMs)
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}
