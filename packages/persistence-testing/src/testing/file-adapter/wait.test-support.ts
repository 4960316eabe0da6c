/** Resolves after a time; if it is not kept, the process may end before. */
export function wait(durationMs: number, isKept = true): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, durationMs)
    if (!isKept) timer.unref()
  })
}

const STEP_MS = 20

/**
 * The same in steps: if this process gets no processor for as long as all of them, what others do
 * in the next turns of the event loop still comes before the end. Ends early when `isEnough` says
 * so.
 */
export async function waitInSteps(
  durationMs: number,
  isEnough: () => boolean = () => false,
  isKept = true,
): Promise<void> {
  for (let leftMs = durationMs; leftMs > 0 && !isEnough(); leftMs -= STEP_MS)
    await wait(Math.min(leftMs, STEP_MS), isKept)
}

const LATE_REPLIES = [
  'closes-early',
  'forgets-a-single-call',
  'never-ends-lost-statements',
  'repeats-writes',
  'repeats-keyed-writes',
  'unrefs-timers',
]

/**
 * How long a reply takes. On a busy machine few interruptions, and no closing for certain, come
 * within four milliseconds.
 */
export function replyMs(has: (fault: string) => boolean): number {
  return LATE_REPLIES.some(has) ? 200 : 4
}

/** Waits for a reply, or forever if an outage comes before it. */
export async function awaitReply(isDown: () => boolean): Promise<void> {
  await waitInSteps(200, isDown)
  if (isDown()) await new Promise(() => {})
}
