import { EventEmitter } from 'node:events'
import { openSync } from 'node:fs'
import { persistenceUnavailable } from '@pet-store/domain'
import type { OpenMode } from '@pet-store/persistence'

/** What the opening of the file adapter, and its calls, leave behind. */
export interface Leak {
  ofRejectedOpening(isReopened: boolean): void
  ofCall(): void
  ofClose(isDown: boolean): void
  ofRejected(result: Promise<unknown>): void
  /** Whether there is a transaction that nobody ends. */
  isOpen(): boolean
  /** How many connections count as busy. */
  busy(): number
}

/** How many calls the file adapter allows at a time. */
const SLOTS = 1_000

/** The files that were opened for reading alone first, by how many openings have them. */
const readOnly = new Map<string, number>()

export function leakOf(
  has: (fault: string) => boolean,
  pathname: string = '',
  mode?: OpenMode,
): Leak {
  const ended = new EventEmitter()
  const openings = readOnly.get(pathname) ?? 0
  const isReadOnly = has('shares-a-reader') && (openings > 0 || mode === 'read')
  if (isReadOnly) readOnly.set(pathname, openings + 1)
  let isOpen = false
  if (has('adds-a-listener')) process.setMaxListeners(0).on('exit', () => ended)
  let rejected = 0
  return {
    ofRejectedOpening(isReopened) {
      const leaks = has('leaks-when-rejected') || (has('leaks-when-outdated') && isReopened)
      if (leaks) openSync('/dev/null', 'r')
      if (has('keeps-a-timer-when-rejected')) setInterval(() => {}, 1_000)
    },
    ofClose(isDown) {
      if (isReadOnly) readOnly.set(pathname, (readOnly.get(pathname) ?? 1) - 1)
      if (has('connects-again-when-closed') && isDown) setInterval(() => {}, 1_000)
      if (has('keeps-a-deadline')) setTimeout(() => {}, 5_000)
    },
    ofCall() {
      if (has('keeps-slots') && rejected >= SLOTS) throw persistenceUnavailable()
      if (has('listens-in-every-call')) ended.on('end', () => undefined)
      if (has('opens-a-file-in-every-call')) openSync('/dev/null', 'r')
    },
    ofRejected(result) {
      if (has('keeps-slots') || has('counts-failures-as-busy'))
        result.catch(() => {
          rejected += 1
        })
      if (has('opens-a-file-when-rejected')) result.catch(() => openSync('/dev/null', 'r'))
      if (has('keeps-a-timer-of-rejected-calls')) result.catch(() => setInterval(() => {}, 1_000))
      if (!has('keeps-a-transaction-open')) return
      result.catch(() => {
        isOpen = true
      })
    },
    isOpen: () => isOpen || isReadOnly,
    busy: () => (has('counts-failures-as-busy') ? rejected : 0),
  }
}

/** What a call of bulk access that an outage rejects leaves behind. */
export function leakOfBulk(has: (fault: string) => boolean): () => void {
  const ended = new EventEmitter()
  return () => {
    if (has('opens-a-file-in-bulk-while-down')) openSync('/dev/null', 'r')
    if (has('listens-in-bulk-while-down')) ended.on('end', () => undefined)
    if (has('keeps-a-timer-of-bulk-while-down')) setInterval(() => {}, 1_000)
  }
}
