/** Input beyond this length takes much more time than usual input. */
export const LONG_INPUT_BYTES = 4_096

let last: Promise<unknown> = Promise.resolve()

/**
 * Resolves in a turn of the event loop that no other caller gets. With it, a hundred requests with
 * long input that arrive together do not run one after the other before the usual requests behind
 * them: the event loop reads those in between. At most as many wait as requests are under way.
 */
export function yieldToEventLoop(): Promise<unknown> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
  return last
}
