import { createReadStream, rmSync } from 'node:fs'
import { chmod, type FileHandle, open, realpath, rename, stat } from 'node:fs/promises'
import { getSystemErrorMessage } from 'node:util'

/** The formats of files of pets. */
export const FORMATS = ['csv', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

/** Returns the format that the name of a file ends in, or `undefined`. */
export function formatOf(file: string): Format | undefined {
  return FORMATS.find((format) => file.toLowerCase().endsWith(`.${format}`))
}

/** A source of pets. */
export interface PetFile {
  /** Absent for what can be read only once, and whose size is unknown. */
  readonly bytes?: number
  /** Reads from the beginning. */
  open(): AsyncIterable<Buffer>
}

/** Finds a file, or standard input for `-`. Rejects with one sentence if it is missing or cannot be read. */
export async function findPetFile(file: string): Promise<PetFile> {
  if (file === '-') return { open: () => process.stdin }
  try {
    const stats = await stat(file)
    if (stats.isDirectory()) throw new Error('it is a folder')
    return { ...(stats.isFile() && { bytes: stats.size }), open: () => createReadStream(file) }
  } catch (error) {
    throw fileError('read', file, error as NodeJS.ErrnoException)
  }
}

/**
 * Writes a file through a temporary one beside it, which takes its name at the end: an existing file stays as it is until
 * all was written. A device or a pipe is written directly. Rejects with one sentence if the file cannot be written.
 */
export async function replaceFile(file: string, text: AsyncIterable<string>): Promise<void> {
  const failed = (error: NodeJS.ErrnoException): never => {
    throw fileError('write', file, error)
  }
  const existing = await stat(file).catch(() => undefined)
  if (existing !== undefined && !existing.isFile()) {
    return writeTo(await open(file, 'w').catch(failed), text, failed)
  }
  // A symbolic link stays one.
  const target = existing === undefined ? file : await realpath(file)
  const temporary = `${target}.${process.pid}.tmp`
  const remove = () => rmSync(temporary, { force: true })
  process.once('exit', remove)
  try {
    await writeTo(await open(temporary, 'w').catch(failed), text, failed)
    if (existing !== undefined) await chmod(temporary, existing.mode).catch(failed)
    await rename(temporary, target).catch(failed)
  } finally {
    // Nothing is left of it once it was renamed.
    remove()
    process.off('exit', remove)
  }
}

async function writeTo(
  handle: FileHandle,
  text: AsyncIterable<string>,
  failed: (error: NodeJS.ErrnoException) => never,
): Promise<void> {
  try {
    for await (const part of text) await handle.appendFile(part).catch(failed)
    // A device has nothing to sync.
    if ((await handle.stat()).isFile()) await handle.sync().catch(failed)
  } finally {
    await handle.close()
  }
}

/** An error of the file system as a sentence that names the file, without its codes. */
export function fileError(doing: string, file: string, cause: NodeJS.ErrnoException): Error {
  const reason = cause.errno === undefined ? cause.message : getSystemErrorMessage(cause.errno)
  return new Error(`Cannot ${doing} ${JSON.stringify(file)}: ${reason}.`, { cause })
}
