import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { wait } from './wait.test-support.ts'

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

/** An opening that fails if another one has migrated meanwhile. */
export async function migrateOnce(pathname: string): Promise<void> {
  await wait(5)
  if (!existsSync(`${pathname}.outdated`)) throw new Error('Another opening has migrated it.')
}

/** An opening that another one disturbs. */
export async function openAlone(pathname: string): Promise<void> {
  writeFileSync(`${pathname}.opening`, '', { flag: 'wx' })
  await wait(300)
  rmSync(`${pathname}.opening`)
}
