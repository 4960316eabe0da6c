import { existsSync, rmSync, writeFileSync } from 'node:fs'

const openFiles = new Set<string>()

/** Keeps others from opening a file, if it has the fault that it may be opened once. */
export function lockOf(
  path: string,
  has: (fault: string) => boolean,
  isReading: boolean,
): { release(): void } {
  const isSingle = has('single') || (has('single-but-for-reading') && !isReading)
  if (isSingle || has('single-in-process')) {
    if (isSingle ? existsSync(`${path}.open`) : openFiles.has(path))
      throw new Error('It is open already.')
    openFiles.add(path)
    writeFileSync(`${path}.open`, '')
  }
  return {
    release() {
      openFiles.delete(path)
      rmSync(`${path}.open`, { force: true })
    },
  }
}
