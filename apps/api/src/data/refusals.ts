import { stat } from 'node:fs/promises'
import { openOutput } from './file-error.ts'
import type { RefusedEntry } from './import-pets.ts'

/** Where refused lines are told: one line each, with number and reason. */
export interface Refusals {
  add(entries: readonly RefusedEntry[]): Promise<void>
  close(): Promise<void>
}

/** Into a file, which is written anew, or to standard error. Rejects where that file is the one that is imported. */
export async function openRefusals(file: string | undefined, imported: string): Promise<Refusals> {
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

/** By what the names stand for: a file can have several. */
async function isSameFile(...files: readonly [string, string]): Promise<boolean> {
  const [one, other] = await Promise.all(files.map((file) => stat(file, { bigint: true }).catch(() => undefined)))
  return one?.isFile() === true && one.ino === other?.ino && one.dev === other.dev
}

const toStandardError: Refusals = {
  async add(entries) {
    process.stderr.write(onTerminal(textOf(entries)))
  },
  async close() {},
}

function textOf(entries: readonly RefusedEntry[]): string {
  return entries.map(({ line, reason }) => `line ${line}: ${reason}\n`).join('')
}

/** The bar of the progress stands in the current line; it is drawn again below. */
function onTerminal(text: string): string {
  return process.stderr.isTTY ? `\r\x1b[K${text}` : text
}
