/** On a machine that is not busy, a process misses the processor for less than this. */
const TICK_MS = 50
/** By the clock it takes at most this many times as long. */
const MAX_STRETCH = 6

/**
 * Calls back once this process has run for a time. Time in which it gets no processor counts only
 * in part: on a machine that is busy, whatever it waits for is late too. By the clock it takes at
 * most six times as long, or until the process runs again. Returns a function that cancels it.
 */
export function startDeadline(durationMs: number, callback: () => void): () => void {
  const latest = performance.now() + MAX_STRETCH * durationMs
  let timer: ReturnType<typeof setTimeout> | undefined
  const wait = (leftMs: number) => {
    if (leftMs <= 0 || performance.now() >= latest) callback()
    else timer = setTimeout(wait, Math.min(leftMs, TICK_MS), leftMs - TICK_MS)
  }
  wait(durationMs)
  return () => clearTimeout(timer)
}
