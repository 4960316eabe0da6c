import type { NewApiKey } from '@pet-store/access'

/** The time of this machine, whatever `Date` says. */
export const fileClock = (): Date => new Date(performance.timeOrigin + performance.now())

/** What a clock of this time zone shows, taken for UTC. */
const inThisZone = (time: Date) => new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
const inWholeSeconds = (time: Date) => new Date(time.setMilliseconds(0))

/** The clock of the file adapter. */
export function clockOf(has: (fault: string) => boolean): { timeOfCall(): Date; read(): Date } {
  const openedAt = fileClock()
  return {
    timeOfCall() {
      if (has('dates-by-process')) return new Date()
      if (has('dates-by-opening')) return openedAt
      if (has('dates-by-time-zone')) return inThisZone(fileClock())
      return has('dates-in-whole-seconds') ? inWholeSeconds(fileClock()) : fileClock()
    },
    read() {
      if (has('tells-the-time-as-text')) return new Date().toISOString() as unknown as Date
      if (has('tells-the-time-in-seconds')) return new Date(Date.now() / 1_000)
      return has('tells-whole-seconds') ? inWholeSeconds(fileClock()) : fileClock()
    },
  }
}

/** A key as it is stored: with the local time by fault. */
export function timed(has: (fault: string) => boolean, key: NewApiKey): NewApiKey {
  const { createdAt } = key
  const shiftMs = has('stores-local-times') ? 60_000 * createdAt.getTimezoneOffset() : 0
  return { ...key, createdAt: new Date(createdAt.getTime() - shiftMs) }
}
