import type { PersistenceCapabilities, PersistenceOptions } from '@pet-store/persistence'

/** Which SQLite database to open, and what opening may do to it. `url`: see `sqlitePath`. */
export type SqliteOptions = Omit<PersistenceOptions, 'replicaUrls'>

export const sqliteCapabilities: PersistenceCapabilities = {
  severalProcesses: true,
  sharedLimits: false,
  bulkAccess: true,
  replicas: false,
}

/** SQLite's own name for a database without a file. */
export const MEMORY = ':memory:'

/**
 * Returns the path that a URL names: `sqlite:` and a path, absolute or relative to the working
 * directory, or `sqlite::memory:` for a database that is discarded when it is closed. Throws a
 * `TypeError` that names the rule.
 */
export function sqlitePath(url: string): string {
  if (!url.startsWith('sqlite:')) throw invalidUrl(url, 'begin with "sqlite:"')
  // Three slashes are an absolute path with an empty host, as other tools write it.
  const path = url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')
  if (path === MEMORY) return path
  if (path.trim() === '') throw invalidUrl(url, 'name a file')
  if (path.startsWith('//')) throw invalidUrl(url, 'name a file, not a host')
  // Only a shell reads it as the home folder. A folder with this name is easily removed by `rm`,
  // together with everything at home.
  if (/^~(?:\/|$)/.test(path))
    throw invalidUrl(url, 'have the path of the home folder in place of ~')
  if (path.startsWith(':')) throw invalidUrl(url, 'name a file, or be "sqlite::memory:"')
  if (path.includes('?')) throw invalidUrl(url, 'have no parameters')
  if (/[#\0]/.test(path)) throw invalidUrl(url, 'have no # and no NUL in its path')
  // The driver would remove the spaces, and read the path as a URI.
  if (path.trim() !== path || path.startsWith('file:'))
    throw invalidUrl(url, 'name a file without spaces around its path, and no URI')
  return path
}

/** Returns the path of the file that a URL names; `undefined` for a database in memory. */
export function sqliteFile(url: string): string | undefined {
  const path = sqlitePath(url)
  return path === MEMORY ? undefined : path
}

function invalidUrl(url: string, rule: string): TypeError {
  const examples = '"sqlite:./data/pet-store.db" or "sqlite::memory:"'
  return new TypeError(`An SQLite URL must ${rule}, as in ${examples}; got ${JSON.stringify(url)}.`)
}
