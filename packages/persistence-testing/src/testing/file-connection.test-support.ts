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
  return () => {
    if (
      (has('waits-for-no-import') || has('waits-for-no-page')) &&
      existsSync(`${pathname}.importing`)
    )
      throw persistenceUnavailable()
    if (losses() === known) return
    if (!has('keeps-lost-connections')) known = losses()
    throw persistenceUnavailable({ outcome: 'unknown' })
  }
}
