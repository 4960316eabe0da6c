import { execFileSync } from 'node:child_process'
import { wait } from '../case/wait.ts'

/** How many files and connections this process has open; 0 where that cannot be seen. */
export function descriptorCount(): number {
  try {
    const folder = `/proc/${process.pid}/fd`
    const listed = execFileSync('ls', [folder], { stdio: ['ignore', 'pipe', 'ignore'] })
    return listed.toString().split('\n').length
  } catch {
    return 0
  }
}

/**
 * How many more than `before` are open. If these are `tooMany`, it counts again for ten seconds:
 * what is closed may go later, on a busy machine by seconds.
 */
export async function descriptorsLeft(before: number, tooMany: number): Promise<number> {
  let left = descriptorCount() - before
  for (let waitMs = 20; waitMs < 10_000 && left >= tooMany; waitMs *= 2) {
    await wait(waitMs)
    left = descriptorCount() - before
  }
  return left
}
