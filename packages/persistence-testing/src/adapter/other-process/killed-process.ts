import { causedBy, expectEqual } from '../../case/expectations.ts'
import type { OtherProcess } from './other-process.ts'

/** A script that kills its own process before anything can happen in it after a call. */
export function killedAfter(setUp: string, call: string): string {
  return `${setUp}
    await ${call}.then(() => process.kill(process.pid, 'SIGKILL'))`
}

/**
 * Kills a process once it has printed that many lines, at a random moment of the time that follows.
 * Returns the lines that it printed.
 */
export function untilKilledOnce(
  other: OtherProcess,
  lineCount: number,
  withinMs: number = 0,
): Promise<readonly string[]> {
  let isEnding = false
  other.onLines((lines) => {
    if (isEnding || lines.length < lineCount) return
    isEnding = true
    if (withinMs === 0) other.kill()
    else setTimeout(other.kill, Math.random() * withinMs)
  })
  return untilKilled(other)
}

/** Returns the lines of a process that is to be killed in the middle of its work. */
export async function untilKilled({ ended }: OtherProcess): Promise<readonly string[]> {
  const { lines, errors, signal } = await ended
  const message = `the writing process must run until it is killed; it printed: ${errors}`
  causedBy(errors, () => expectEqual(signal, 'SIGKILL', message))
  return lines
}
