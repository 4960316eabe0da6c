import type { ClientBase } from 'pg'

/**
 * How long a connection is new. What is wrong with the settings of a new connection, or with the
 * server that it leads to, is wrong with those of the next one too.
 */
const NEW_MS = 1_000

/** When each connection was opened, by a clock that is never set back. */
const openedAtMs = new WeakMap<ClientBase, number>()

export function noteOpening(client: ClientBase): void {
  openedAtMs.set(client, performance.now())
}

/** Whether a connection was opened after a time of `performance.now()`. */
export function wasOpenedAfter(client: ClientBase, timeMs: number): boolean {
  return (openedAtMs.get(client) ?? Number.NEGATIVE_INFINITY) > timeMs
}

export function isNew(client: ClientBase): boolean {
  return wasOpenedAfter(client, performance.now() - NEW_MS)
}
