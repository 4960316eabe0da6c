/**
 * Whether an opening has no connection. If its pauses double, its last attempt fails right before
 * the outage ends, and the next pause is as long as the outage was.
 */
export function reconnectingOf(isDown: () => boolean, doubles: boolean): () => boolean {
  if (!doubles) return isDown
  let downAt: number | undefined
  let attemptAt: number | undefined
  return () => {
    const now = performance.now()
    if (isDown()) {
      downAt ??= now
      return true
    }
    if (downAt === undefined) return false
    attemptAt ??= now + (now - downAt)
    return now < attemptAt
  }
}
