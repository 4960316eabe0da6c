import type { ApiKeyRepository, KeyCheck } from '@pet-store/access'
import { createKeyChanges } from '../observability/key-changes.ts'
import type { Reports } from '../observability/reports.ts'

const KEY_USES_INTERVAL_MS = 60_000
const KEY_CHANGES_INTERVAL_MS = 10_000

/** Work that no request waits for: it stores when API keys were last used, and reports who changed one. */
export function startBackgroundWork(keys: ApiKeyRepository, keyCheck: KeyCheck, onKeyChange: Reports['onKeyChange']) {
  const work = [
    repeat(keyCheck.writeUses, KEY_USES_INTERVAL_MS),
    repeat(createKeyChanges(keys, onKeyChange), KEY_CHANGES_INTERVAL_MS),
  ]
  return {
    /** Does all of it once more and stops. */
    async finish(): Promise<void> {
      await Promise.all(work.map(({ finish }) => finish()))
    },
  }
}

/**
 * Does work at intervals, one run at a time, without keeping the process alive. Work that fails is repeated at the next
 * interval: requests and readiness report what made it fail.
 */
function repeat(work: () => Promise<void>, intervalMs: number): { finish(): Promise<void> } {
  let running = Promise.resolve()
  const run = () => {
    running = running.then(work).catch(() => {})
    return running
  }
  const timer = setInterval(() => void run(), intervalMs).unref()
  return {
    finish() {
      clearInterval(timer)
      return run()
    },
  }
}
