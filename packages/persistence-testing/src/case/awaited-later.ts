/** Work that is awaited later, and that must not end the process if it rejects before. */
export function awaitedLater<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => undefined)
  return work
}
