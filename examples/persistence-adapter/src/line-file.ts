import {
  appendFileSync,
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
} from 'node:fs'
import { resolve } from 'node:path'
import type { WriteOutcome } from '@pet-store/domain'

/** A write that is not in the file, or of which that is not known. */
class WriteFailed extends Error {
  readonly outcome: WriteOutcome

  constructor(outcome: WriteOutcome, cause: Error) {
    super(cause.message, { cause })
    this.outcome = outcome
  }
}

/** What the errors of a file say of a write; other errors pass through. */
export function outcomeOf(error: unknown): WriteOutcome | undefined {
  if (error instanceof WriteFailed) return error.outcome
  // What the operating system says of reading it.
  return (error as NodeJS.ErrnoException).syscall === undefined ? undefined : 'not_stored'
}

/**
 * A file of lines of JSON, each of which is on the disk as a whole or not at all. Every function
 * has done its work when it returns, so nothing comes between two steps of a write.
 */
export class LineFile<Line> {
  readonly #path: string
  readonly #file: number

  constructor(path: string, flags: 'r' | 'a+') {
    this.#path = resolve(path)
    this.#file = openSync(path, flags)
  }

  /**
   * Reads the complete lines. Text after the last line feed was cut off by a crash and never
   * acknowledged: it is removed.
   */
  readLines(isReadOnly: boolean): readonly Line[] {
    const bytes = readFileSync(this.#file)
    const end = bytes.lastIndexOf('\n') + 1
    if (end < bytes.length && !isReadOnly) ftruncateSync(this.#file, end)
    const texts = bytes.subarray(0, end).toString().split('\n').slice(0, -1)
    return texts.map((text) => JSON.parse(text) as Line)
  }

  /** Throws when the file was moved or deleted: it would take lines that nobody finds again. */
  assertThere(): void {
    if (statSync(this.#path).ino === fstatSync(this.#file).ino) return
    throw new Error(`${this.#path} was replaced by another file.`)
  }

  /** Text that was not written completely is removed, so that the next line starts a new one. */
  append(line: Line): void {
    const text = `${JSON.stringify(line)}\n`
    const { size } = fstatSync(this.#file)
    try {
      appendFileSync(this.#file, text)
      fdatasyncSync(this.#file)
    } catch (cause) {
      throw new WriteFailed(this.#isCutOff(size) ? 'not_stored' : 'unknown', cause as Error)
    }
  }

  #isCutOff(size: number): boolean {
    try {
      ftruncateSync(this.#file, size)
      return true
    } catch {
      return false
    }
  }

  close(): void {
    closeSync(this.#file)
  }
}
