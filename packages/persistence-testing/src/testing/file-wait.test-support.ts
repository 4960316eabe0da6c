/** Resolves after a time; if it is not kept, the process may end before. */
export function wait(durationMs: number, isKept = true): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, durationMs)
    if (!isKept) timer.unref()
  })
}
