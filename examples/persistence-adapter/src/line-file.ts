import { type FileHandle, stat } from 'node:fs/promises'
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

/** A file of lines of JSON, each of which is on the disk as a whole or not at all. */
export class LineFile<Line> {
  readonly #file: FileHandle
  readonly #path: string

  constructor(file: FileHandle, path: string) {
    this.#file = file
    this.#path = path
  }

  /**
   * Reads the complete lines. Text after the last line feed was cut off by a crash and never
   * acknowledged: it is removed.
   */
  async readLines(isReadOnly: boolean): Promise<readonly Line[]> {
    const bytes = await this.#file.readFile()
    const end = bytes.lastIndexOf('\n') + 1
    if (end < bytes.length && !isReadOnly) await this.#file.truncate(end)
    const texts = bytes.subarray(0, end).toString().split('\n').slice(0, -1)
    return texts.map((text) => JSON.parse(text) as Line)
  }

  /** Rejects when the file was moved or deleted: it would take lines that nobody finds again. */
  async assertThere(): Promise<void> {
    if ((await stat(this.#path)).ino === (await this.#file.stat()).ino) return
    throw new WriteFailed('not_stored', new Error(`${this.#path} was replaced by another file.`))
  }

  /** Text that was not written completely is removed, so that the next line starts a new one. */
  async append(line: Line): Promise<void> {
    const text = `${JSON.stringify(line)}\n`
    await this.assertThere()
    const { size } = await this.#file.stat()
    try {
      await this.#file.appendFile(text)
      await this.#file.datasync()
    } catch (cause) {
      const isRemoved = await this.#file.truncate(size).then(
        () => true,
        () => false,
      )
      throw new WriteFailed(isRemoved ? 'not_stored' : 'unknown', cause as Error)
    }
  }
}
