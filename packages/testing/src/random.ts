/** Random numbers that are the same for the same seed. */
export interface Random {
  /** At least 0, and below 1. */
  next(): number
  /** From `min` to `max`, both included. */
  integer(min: number, max: number): number
  pick<Value>(values: readonly Value[]): Value
}

/** The generator mulberry32: small, and good enough to choose faults and times. */
export function createRandom(seed: number): Random {
  let state = seed
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    integer,
    pick(values) {
      const value = values[integer(0, values.length - 1)]
      if (value === undefined) throw new RangeError('There is nothing to pick from.')
      return value
    },
  }
}
