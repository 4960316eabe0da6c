const SECOND_MS = 1000
/** As many as one second can bring; beyond them nobody new is let in until the next. */
const MAX_ADDRESSES = 10_000

/** Lets each client address have so many look-ups a second. Holds nothing for longer than that. */
export function createLookUpLimit(perSecond: number, now: () => number): (address: string) => boolean {
  let second = 0
  const counts = new Map<string, number>()
  return (address) => {
    const current = Math.floor(now() / SECOND_MS)
    if (current !== second) {
      second = current
      counts.clear()
    }
    const count = counts.get(address) ?? (counts.size < MAX_ADDRESSES ? 0 : perSecond)
    if (count >= perSecond) return false
    counts.set(address, count + 1)
    return true
  }
}
