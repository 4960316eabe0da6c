import { getSystemErrorMessage } from 'node:util'

/** An error of the file system as a sentence that names the file, without its codes. */
export function fileError(doing: string, file: string, cause: NodeJS.ErrnoException): Error {
  const reason = cause.errno === undefined ? cause.message : getSystemErrorMessage(cause.errno)
  return new Error(`Cannot ${doing} ${JSON.stringify(file)}: ${reason}.`, { cause })
}
