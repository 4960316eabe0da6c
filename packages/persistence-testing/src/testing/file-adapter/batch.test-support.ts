const SIZE = 128

/** The calls of a moment, of which one statement finds the first ones. */
export function batchOf(has: (fault: string) => boolean): { isFull(): Promise<boolean> } {
  let count = 0
  return {
    async isFull() {
      if (!has('finds-few-at-once')) return false
      count += 1
      const isFull = count > SIZE
      await Promise.resolve()
      count = 0
      return isFull
    },
  }
}
