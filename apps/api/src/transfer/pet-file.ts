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

/** Standard input, in place of the name of a file. */
const STANDARD_INPUT = '-'

/** A source of pets. */
export interface PetFile {
  /** Absent for what can be read only once, and whose size is unknown. */
  readonly bytes?: number
  /** Reads from the beginning. */
  open(): AsyncIterable<Buffer>
}

/** Finds a file. Rejects with one sentence if it is missing or cannot be read. */
export async function findPetFile(file: string): Promise<PetFile> {
  if (file === STANDARD_INPUT) return { open: () => process.stdin }
  try {
    const stats = await stat(file)
    if (stats.isDirectory()) throw new Error('it is a folder')
    return { ...(stats.isFile() && { bytes: stats.size }), open: () => createReadStream(file) }
  } catch (error) {
    throw fileError('read', file, error as NodeJS.ErrnoException)
  }
}

/** Opens a file for writing and empties it. Rejects with one sentence if that is not possible. */
async function openOutput(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'w')
  } catch (error) {
    throw fileError('write', file, error as NodeJS.ErrnoException)
  }
}

/**
 * Writes a file through a temporary one beside it, which takes its name at the end: an existing file stays as it is until
 * all was written. A device or a pipe is written directly.
 */
export async function replaceFile(file: string, write: (handle: FileHandle) => Promise<void>): Promise<void> {
  const existing = await stat(file).catch(() => undefined)
  if (existing !== undefined && !existing.isFile()) {
    const device = await openOutput(file)
    try {
      return await write(device)
    } finally {
      await device.close()
    }
  }
  // A symbolic link stays one.
  const target = existing === undefined ? file : await realpath(file)
  const temporary = `${target}.${process.pid}.tmp`
  const handle = await openOutput(temporary).catch((error: Error) => {
    throw fileError('write', file, error.cause as NodeJS.ErrnoException)
  })
  const remove = () => rmSync(temporary, { force: true })
  process.once('exit', remove)
  try {
    await write(handle)
    await handle.sync()
    await handle.close()
    if (existing !== undefined) await chmod(temporary, existing.mode)
    await rename(temporary, target)
  } catch (error) {
    await handle.close().catch(() => {})
    remove()
    throw error
  } finally {
    process.off('exit', remove)
  }
}

/** An error of the file system as a sentence that names the file, without its codes. */
export function fileError(doing: string, file: string, cause: NodeJS.ErrnoException): Error {
  const reason = cause.errno === undefined ? cause.message : getSystemErrorMessage(cause.errno)
  return new Error(`Cannot ${doing} ${JSON.stringify(file)}: ${reason}.`, { cause })
}
