import { randomUUID } from 'node:crypto'
import { createReadStream, rmSync } from 'node:fs'
import { chmod, open, readlink, realpath, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileError } from '../../messages/file-error.ts'

/** The formats of files of pets. */
export const FORMATS = ['csv', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

/** Returns the format that the name of a file ends in, or `undefined`. */
export function formatOf(file: string): Format | undefined {
  return FORMATS.find((format) => file.toLowerCase().endsWith(`.${format}`))
}

/** A file of pets, or standard input. */
export interface PetFile {
  /** Its size; absent if it can be read only once, such as a pipe. */
  readonly bytes?: number
  /** Opens it for reading from the beginning. */
  open(): AsyncIterable<Buffer>
}

/**
 * Finds a file, or standard input for `-`. Rejects if it is missing or cannot be read.
 */
export async function findPetFile(file: string): Promise<PetFile> {
  if (file === '-') return { open: () => bytesOf('standard input', () => process.stdin) }
  try {
    const stats = await stat(file)
    if (stats.isDirectory()) throw new Error('it is a folder')
    // A pipe can be opened only once.
    if (stats.isFile()) await (await open(file)).close()
    return {
      ...(stats.isFile() && { bytes: stats.size }),
      open: () => bytesOf(file, () => createReadStream(file)),
    }
  } catch (error) {
    throw fileError('read', file, error as NodeJS.ErrnoException)
  }
}

/** Reads a file. If that fails halfway, such as on a broken disk, the error names the file. */
async function* bytesOf(file: string, open: () => AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* open()
  } catch (error) {
    throw fileError('read', file, error as NodeJS.ErrnoException)
  }
}

/**
 * Writes a file: to a temporary file beside it first, which is renamed when everything is written,
 * so that an existing file stays complete until then. A device or a pipe is written directly.
 * Rejects if the file cannot be written.
 */
export async function replaceFile(file: string, text: AsyncIterable<string>): Promise<void> {
  const failed = (error: NodeJS.ErrnoException): never => {
    throw error.syscall === undefined ? error : fileError('write', file, error)
  }
  const existing = await stat(file).catch(() => undefined)
  if (existing !== undefined && !existing.isFile()) return writeFile(file, text).catch(failed)
  // Replaces the target of a symbolic link, not the link.
  const target = await realpath(file).catch(() => missingTarget(file))
  // Processes of two containers may have the same id.
  const temporary = `${target}.${process.pid}-${randomUUID().slice(0, 8)}.tmp`
  const remove = () => {
    try {
      rmSync(temporary, { force: true })
    } catch {
      // It could not be written either, such as with a name that is too long.
    }
  }
  process.once('exit', remove)
  try {
    await writeFile(temporary, text, { flush: true })
    if (existing !== undefined) await chmod(temporary, existing.mode)
    await rename(temporary, target)
  } catch (error) {
    failed(error as NodeJS.ErrnoException)
  } finally {
    // Does nothing if the file was renamed.
    remove()
    process.off('exit', remove)
  }
}

/** The missing target of a symbolic link, or a missing file itself. */
function missingTarget(file: string): Promise<string> {
  return readlink(file).then(
    (target) => resolve(dirname(file), target),
    () => file,
  )
}
