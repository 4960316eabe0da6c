import { stat } from 'node:fs/promises'
import type { RejectedEntry } from './import-pets.ts'
import { openOutput } from './pet-file.ts'

/** Reports rejected lines: one line each, with number and reason. */
export interface RejectedLines {
  add(entries: readonly RejectedEntry[]): Promise<void>
  close(): Promise<void>
}

/** Reports to a file, which is emptied, or to standard error. Rejects if that file is the imported one. */
export async function openRejectedLines(file: string | undefined, imported: string): Promise<RejectedLines> {
  if (file === undefined) return toStandardError
  if (await isSameFile(file, imported)) {
    throw new Error(`The report would overwrite ${JSON.stringify(imported)}. Give --report another name.`)
  }
  const handle = await openOutput(file)
  return {
    add: (entries) => handle.appendFile(textOf(entries)),
    close: () => handle.close(),
  }
}

/** Compares what the names refer to: a file can have several. */
async function isSameFile(...files: readonly [string, string]): Promise<boolean> {
  const [one, other] = await Promise.all(files.map((file) => stat(file, { bigint: true }).catch(() => undefined)))
  return one?.isFile() === true && one.ino === other?.ino && one.dev === other.dev
}

const toStandardError: RejectedLines = {
  async add(entries) {
    process.stderr.write(onTerminal(textOf(entries)))
  },
  async close() {},
}

function textOf(entries: readonly RejectedEntry[]): string {
  return entries.map(({ line, reason }) => `line ${line}: ${reason}\n`).join('')
}

/** The progress bar occupies the current line; it is drawn again below. */
function onTerminal(text: string): string {
  return process.stderr.isTTY ? `\r\x1b[K${text}` : text
}
