/** Whether an opening has no connection: at once, or by attempts after pauses that double. */
export function reconnectingOf(isDown: () => boolean, doubles: boolean): () => boolean {
  if (!doubles) return isDown
  let pauseMs = 0
  let attemptAt = 0
  return () => {
    const now = performance.now()
    if (now < attemptAt) return true
    if (!isDown()) {
      pauseMs = 0
      return false
    }
    pauseMs = Math.max(100, 2 * pauseMs)
    attemptAt = now + pauseMs
    return true
  }
}
