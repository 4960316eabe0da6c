import { createRandom } from '@pet-store/testing'
import { vi } from 'vitest'
import { VirtualTime } from './virtual-time.ts'
import type { World } from './world.ts'

export interface WorldResult {
  readonly seed: number
  readonly violations: readonly string[]
  readonly trail: readonly string[]
  /** How many pets were intended. */
  readonly pets: number
}

/** More than a world can take. */
const WORLD_LIMIT_MS = 30 * 60_000

/** Does the work in a world whose time is virtual, and returns what was wrong in it. */
export async function runInVirtualTime(
  { seed, ledger }: World,
  work: () => Promise<void>,
): Promise<WorldResult> {
  const time = new VirtualTime()
  const noise = createRandom(seed + 1)
  const random = vi.spyOn(Math, 'random').mockImplementation(() => noise.next())
  const warnings = vi
    .spyOn(process, 'emitWarning')
    .mockImplementation((warning) => ledger.note(`warning: ${String(warning)}`))
  const onRejection = (error: unknown) =>
    ledger.violate(`a rejection that nobody handles: ${String(error)}`)
  process.on('unhandledRejection', onRejection)
  try {
    let isOver = false
    const working = work().catch((error: Error) => ledger.violate(error.stack ?? error.message))
    void working.finally(() => {
      isOver = true
    })
    await time.runUntil(() => isOver || ledger.late.length > 0, WORLD_LIMIT_MS)
    if (!isOver) {
      const open = [...ledger.calls.values()].map(({ what }) => what)
      ledger.violate(`never settled: ${open.join('; ') || 'the end of the world'}`)
    } else if (time.timers > 0) ledger.violate(`${time.timers} timers are left`)
  } finally {
    process.off('unhandledRejection', onRejection)
    random.mockRestore()
    warnings.mockRestore()
    time.end()
  }
  const { violations, trail, intendedPets } = ledger
  return { seed, violations, trail, pets: intendedPets.size }
}
