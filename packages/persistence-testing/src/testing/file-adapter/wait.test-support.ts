/** Resolves after a time; if it is not kept, the process may end before. */
export function wait(durationMs: number, isKept = true): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, durationMs)
    if (!isKept) timer.unref()
  })
}

/** How long a reply takes. On a busy machine few interruptions come within four milliseconds. */
export function replyMs(has: (fault: string) => boolean): number {
  return has('closes-early') || has('never-ends-lost-statements') ? 200 : 4
}
