import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/**
 * Returns a command that runs on one processor only. Returns the command itself if the machine has
 * one processor, or no `taskset`.
 */
export function onCore(
  core: number | undefined,
  command: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  const canPin = core !== undefined && availableParallelism() > 1 && existsSync('/usr/bin/taskset')
  return canPin ? ['taskset', '--cpu-list', String(core), ...command] : command
}
