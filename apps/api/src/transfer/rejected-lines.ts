import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import type { RejectedEntry } from './entry.ts'
import { fileError } from './pet-file.ts'

/** Reports rejected lines: one line each, with number and reason. */
export interface RejectedLines {
  add(entry: RejectedEntry): void
  close(): void
}

/** Reports to a file, which is emptied, or to standard error. Throws if that file is the imported one. */
export function openRejectedLines(file: string | undefined, imported: string): RejectedLines {
  if (file === undefined) return { add: (entry) => void process.stderr.write(onTerminal(textOf(entry))), close() {} }
  if (isSameFile(file, imported)) {
    throw new Error(`The report would overwrite ${JSON.stringify(imported)}. Give --report another name.`)
  }
  try {
    const descriptor = openSync(file, 'w')
    return { add: (entry) => void writeSync(descriptor, textOf(entry)), close: () => closeSync(descriptor) }
  } catch (error) {
    throw fileError('write', file, error as NodeJS.ErrnoException)
  }
}

/** Compares what the names refer to: a file can have several. */
function isSameFile(...files: readonly [string, string]): boolean {
  const [one, other] = files.map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }))
  return one?.isFile() === true && one.ino === other?.ino && one.dev === other.dev
}

function textOf({ line, reason }: RejectedEntry): string {
  return `line ${line}: ${reason}\n`
}

/** The progress bar occupies the current line; it is drawn again below. */
function onTerminal(text: string): string {
  return process.stderr.isTTY ? `\r\x1b[K${text}` : text
}
