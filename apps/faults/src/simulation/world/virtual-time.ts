import { vi } from 'vitest'

/** Taken before it is replaced: the end of what a step has begun. */
const realImmediate = setImmediate

const FAKED = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'Date',
  'performance',
] as const

/** The time at which every world begins; getPet is still served then. */
const BEGINNING = Date.UTC(2027, 2, 1)

/**
 * Time that passes only when nothing is left to do: the next timer then is due at once, however
 * late. One thing happens after the other, in an order that depends on nothing outside.
 */
export class VirtualTime {
  constructor() {
    vi.useFakeTimers({ now: BEGINNING, toFake: [...FAKED], fakeNodeBuiltins: true })
  }

  /** Runs timers until the condition holds, the time is over, or no timer is left. */
  async runUntil(condition: () => boolean, limitMs: number): Promise<void> {
    const end = performance.now() + limitMs
    for (;;) {
      await settled()
      if (condition() || performance.now() > end || this.timers === 0) return
      vi.advanceTimersToNextTimer()
    }
  }

  /** How many timers are left. */
  get timers(): number {
    return vi.getTimerCount()
  }

  end(): void {
    vi.useRealTimers()
  }
}

/** Resolves when every promise and stream has done what it can do now. */
function settled(): Promise<void> {
  return new Promise((resolve) => realImmediate(resolve))
}

/** Waits in virtual time. */
export function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs))
}
