import { createHash } from 'node:crypto'

/** A place in a file, known by all that stands before it. */
export interface FilePlace {
  /** How many lines stand before it. */
  readonly lines: number
  /** Of these lines, each with a line feed at its end, whether or not the last one has it. */
  readonly sha256: string
}

/** Goes through a file line by line. */
export interface FilePrefix {
  readonly lines: number
  add(lines: readonly string[]): void
  place(): FilePlace
}

export function createFilePrefix(): FilePrefix {
  const hash = createHash('sha256')
  let count = 0
  return {
    get lines() {
      return count
    },
    add(lines) {
      if (lines.length === 0) return
      hash.update(`${lines.join('\n')}\n`)
      count += lines.length
    },
    place: () => ({ lines: count, sha256: hash.copy().digest('hex') }),
  }
}
