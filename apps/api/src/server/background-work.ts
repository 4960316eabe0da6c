import type { ApiKeyRepository, KeyCheck } from '@pet-store/access'
import { isPetError } from '@pet-store/domain'
import { createKeyChanges } from '../observability/key-changes.ts'
import type { Reports } from '../observability/reports.ts'

const KEY_USES_INTERVAL_MS = 60_000
const KEY_CHANGES_INTERVAL_MS = 10_000

/**
 * Begins work for which no request waits: storing when API keys were last used, and reporting who
 * changed one. `close` does it once more and stops.
 */
export function openBackgroundWork(
  keys: ApiKeyRepository,
  keyCheck: KeyCheck,
  { onKeyChange, onBackgroundFailure }: Pick<Reports, 'onKeyChange' | 'onBackgroundFailure'>,
): { close(): Promise<void> } {
  const repeatWork = (work: () => Promise<void>, intervalMs: number) =>
    repeat(work, intervalMs, onBackgroundFailure)
  const finishUses = repeatWork(keyCheck.writeUses, KEY_USES_INTERVAL_MS)
  const finishChanges = repeatWork(createKeyChanges(keys, onKeyChange), KEY_CHANGES_INTERVAL_MS)
  return {
    async close() {
      await Promise.all([finishUses(), finishChanges()])
    },
  }
}

/**
 * Runs work at intervals, one run at a time, without keeping the process alive. Work that fails is
 * tried again at the next interval. `onFailure` gets every error except that the database is
 * unavailable, which requests and readiness report. Returns a function that runs the work once more
 * and stops.
 */
export function repeat(
  work: () => Promise<void>,
  intervalMs: number,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<unknown> | undefined
  const run = () => {
    running ??= work().catch(failed).then(ended)
    return running
  }
  const failed = (error: unknown) => {
    if (!isPetError(error) || error.code !== 'persistence_unavailable') onFailure(error)
  }
  const ended = () => {
    running = undefined
  }
  const timer = setInterval(() => void run(), intervalMs).unref()
  return async () => {
    clearInterval(timer)
    await running
    await run()
  }
}
