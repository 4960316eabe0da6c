import { EventEmitter } from 'node:events'
import { openSync } from 'node:fs'

/** What the opening of the file adapter, and its calls, leave behind. */
export interface Leak {
  ofCall(): void
  ofRejected(result: Promise<unknown>): void
  /** Whether there is a transaction that nobody ends. */
  isOpen(): boolean
}

export function leakOf(has: (fault: string) => boolean): Leak {
  const ended = new EventEmitter()
  let isOpen = false
  if (has('adds-a-listener')) process.setMaxListeners(0).on('exit', () => ended)
  return {
    ofCall() {
      if (has('listens-in-every-call')) ended.on('end', () => undefined)
      if (has('opens-a-file-in-every-call')) openSync('/dev/null', 'r')
    },
    ofRejected(result) {
      if (!has('keeps-a-transaction-open')) return
      result.catch(() => {
        isOpen = true
      })
    },
    isOpen: () => isOpen,
  }
}
