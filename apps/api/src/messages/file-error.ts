import { getSystemErrorMessage } from 'node:util'

/** Makes an error of the file system that names the file, in a sentence without error codes. */
export function fileError(doing: string, file: string, cause: NodeJS.ErrnoException): Error {
  return new Error(`Cannot ${doing} ${JSON.stringify(file)}: ${reasonOf(cause)}.`, { cause })
}

/** The reason of a system error, for people. */
export function reasonOf({ code, errno, message }: NodeJS.ErrnoException): string {
  if (code === 'EISDIR') return 'it is a folder'
  return errno === undefined ? message.replace(/\.$/, '') : getSystemErrorMessage(errno)
}
