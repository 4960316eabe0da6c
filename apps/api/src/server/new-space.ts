import { flushCompileCache } from 'node:module'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** How much memory V8 may take for new objects. On a large machine it would take 128 MiB, and serve no faster. */
const MAX_NEW_SPACE_BYTES = 32 * 1024 * 1024
const NEW_SPACE_CHECK_MS = 250

/**
 * Stops the growth of V8's space for new objects at about this size, and allows it again after V8 has shrunk the space.
 * V8 reads this flag at each growth; `--max-semi-space-size`, the usual one, only on the command line.
 * docs/decisions/0033-hot-path.md
 */
export function boundNewSpace(maxBytes = MAX_NEW_SPACE_BYTES, checkMs = NEW_SPACE_CHECK_MS): void {
  // With other flags, the code that the next start uses would not be taken for the same.
  flushCompileCache()
  let mayGrow = true
  setInterval(() => {
    const { space_size: bytes = 0 } = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space') ?? {}
    if (bytes < maxBytes === mayGrow) return
    mayGrow = !mayGrow
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`)
  }, checkMs).unref()
}
