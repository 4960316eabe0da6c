import { userInfo } from 'node:os'

/** Returns the name of the user of this process; in a container the user often has a number and no name. */
export function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}
