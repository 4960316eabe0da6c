import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import type { RejectedEntry } from './entry.ts'
import { fileError } from './pet-file.ts'

/** Reports rejected lines, one each, to a file, which is emptied, or to standard error. Throws if that file is the imported one. */
export function openRejectedLines(file: string | undefined, imported: string) {
  if (file !== undefined && isSameFile(file, imported)) {
    throw new Error(`The report would overwrite ${JSON.stringify(imported)}. Give --report another name.`)
  }
  const descriptor = file === undefined ? undefined : openForWriting(file)
  return {
    add({ line, reason }: RejectedEntry): void {
      const text = `line ${line}: ${reason}\n`
      if (descriptor !== undefined) writeSync(descriptor, text)
      // The progress bar occupies the current line of a terminal; it is drawn again below.
      else process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : text)
    },
    close: () => descriptor !== undefined && closeSync(descriptor),
  }
}

function openForWriting(file: string): number {
  try {
    return openSync(file, 'w')
  } catch (error) {
    throw fileError('write', file, error as NodeJS.ErrnoException)
  }
}

/** Compares what the names refer to: a file can have several. */
function isSameFile(...files: readonly [string, string]): boolean {
  const [one, other] = files.map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }))
  return one?.isFile() === true && one.ino === other?.ino && one.dev === other.dev
}
