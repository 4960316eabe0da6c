import type { ApiKeyRepository, KeyCheck } from '@pet-store/access'
import { createKeyChanges } from '../observability/key-changes.ts'
import type { Reports } from '../observability/reports.ts'

const KEY_USES_INTERVAL_MS = 60_000
const KEY_CHANGES_INTERVAL_MS = 10_000

/**
 * Begins work that no request waits for: it stores when API keys were last used, and reports who
 * changed one. `close` does all of it once more and stops.
 */
export function openBackgroundWork(
  keys: ApiKeyRepository,
  keyCheck: KeyCheck,
  onKeyChange: Reports['onKeyChange'],
): { close(): Promise<void> } {
  const finishUses = repeat(keyCheck.writeUses, KEY_USES_INTERVAL_MS)
  const finishChanges = repeat(createKeyChanges(keys, onKeyChange), KEY_CHANGES_INTERVAL_MS)
  return {
    async close() {
      await Promise.all([finishUses(), finishChanges()])
    },
  }
}

/**
 * Does work at intervals, one run at a time, without keeping the process alive. Work that fails is
 * repeated at the next interval: requests and readiness report what made it fail. Returns a
 * function that does it once more and stops.
 */
export function repeat(work: () => Promise<void>, intervalMs: number): () => Promise<void> {
  let running: Promise<unknown> | undefined
  const run = () => (running ??= work().then(ended, ended))
  const ended = () => (running = undefined)
  const timer = setInterval(() => void run(), intervalMs).unref()
  return async () => {
    clearInterval(timer)
    await running
    await run()
  }
}
