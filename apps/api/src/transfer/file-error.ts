import { getSystemErrorMessage } from 'node:util'

/** An error of the file system as a sentence that names the file, without its codes. */
export function fileError(doing: string, file: string, cause: NodeJS.ErrnoException): Error {
  return new Error(`Cannot ${doing} ${JSON.stringify(file)}: ${reasonOf(cause)}.`, { cause })
}

/** What a person reads of an error of the system. */
export function reasonOf({ code, errno, message }: NodeJS.ErrnoException): string {
  if (code === 'EISDIR') return 'it is a folder'
  return errno === undefined ? message : getSystemErrorMessage(errno)
}
