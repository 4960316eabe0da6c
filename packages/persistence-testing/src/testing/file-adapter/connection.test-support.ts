import { existsSync, readFileSync } from 'node:fs'
import { persistenceUnavailable } from '@pet-store/domain'

/**
 * Returns a function that throws if the connection was lost since it was used: a file says how
 * often all of them were. Then another connection replaces it.
 */
export function connectionOf(pathname: string, has: (fault: string) => boolean): () => void {
  const losses = () => {
    const file = `${pathname}.losses`
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  let known = losses()
  let callsAtOnce = 0
  /** As many as there were calls at the same time. */
  let connections = 1
  let lost = 0
  return () => {
    callsAtOnce += 1
    queueMicrotask(() => {
      callsAtOnce = 0
    })
    connections = Math.max(connections, callsAtOnce)
    if (
      (has('waits-for-no-import') || has('waits-for-no-page')) &&
      existsSync(`${pathname}.importing`)
    )
      throw persistenceUnavailable()
    if (losses() !== known) {
      lost = has('loses-one-after-the-other') ? connections : 1
      known = losses()
    }
    if (lost === 0) return
    if (!has('keeps-lost-connections')) lost -= 1
    throw persistenceUnavailable({ outcome: 'unknown' })
  }
}
