import { type FileHandle, open } from 'node:fs/promises'
import { getSystemErrorMessage } from 'node:util'

/** An error of the file system as a sentence that names the file, without its codes. */
export function fileError(doing: 'read' | 'write', file: string, cause: NodeJS.ErrnoException): Error {
  const reason = cause.errno === undefined ? cause.message : getSystemErrorMessage(cause.errno)
  return new Error(`Cannot ${doing} ${JSON.stringify(file)}: ${reason}.`, { cause })
}

/** Opens a file to be written anew. Rejects with a sentence where it cannot be. */
export async function openOutput(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'w')
  } catch (error) {
    throw fileError('write', file, error as NodeJS.ErrnoException)
  }
}
