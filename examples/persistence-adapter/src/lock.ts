import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** The files that this process has open. */
const openFiles = new Set<string>()

/**
 * Makes a file with the id of this process beside the data, and returns what removes it. One that a
 * killed process left is replaced; two processes that do so at the same moment would both succeed,
 * which a database prevents.
 */
export function lock(url: string): () => void {
  const path = resolve(`${url}.lock`)
  const owner = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
  const isOpen = owner === process.pid ? openFiles.has(path) : isRunning(owner)
  if (isOpen)
    throw new Error(
      `${url} is open in process ${owner}, and this adapter allows one process at a time.`,
    )
  if (owner !== 0) rmSync(path, { force: true })
  writeFileSync(path, String(process.pid), { flag: 'wx' })
  openFiles.add(path)
  return () => {
    openFiles.delete(path)
    rmSync(path, { force: true })
  }
}

function isRunning(pid: number): boolean {
  if (pid === 0) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
