/** Resolves after everything that could happen at once, such as reading what has arrived. */
export function aTurnLater(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

export function wait(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs))
}

/** What was said not to be stored is looked for again after this time: it may wait in a queue. */
export function aMomentLater(durationMs = 500): Promise<void> {
  return wait(durationMs)
}
