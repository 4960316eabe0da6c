import { statSync } from 'node:fs'

/** Identifies the file that has a path at present. Throws if none has. */
export function idOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev}:${ino}`
}

/** The same; `undefined` if no file has the path. */
export function fileIdOf(path: string): string | undefined {
  try {
    return idOf(path)
  } catch {
    return undefined
  }
}
