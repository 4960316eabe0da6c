/** Input that is longer than this takes much more time than usual input. */
export const LONG_INPUT_BYTES = 4_096

let last: Promise<unknown> = Promise.resolve()

/**
 * Resolves in a later turn of the event loop, a different one for each caller. If a hundred
 * requests with long input arrive together, the event loop can then handle other requests in
 * between, instead of all hundred first. No more callers wait than requests are under way.
 */
export function yieldToEventLoop(): Promise<unknown> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
  return last
}
