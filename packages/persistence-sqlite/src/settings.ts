/** Where an SQLite database is, and what opening may do to it. */
export interface SqliteOptions {
  /** `sqlite:` and a path, absolute or relative to the working directory, or `sqlite::memory:` for one that is forgotten. */
  readonly url: string
  /** Brings the schema up to date before anything else. Without it, opening an outdated schema is refused. */
  readonly migrate?: boolean
}

/** The name that SQLite itself has for a database without a file. */
export const MEMORY = ':memory:'

/** The path that a URL of the form `sqlite:…` names. Throws a sentence that says what is wrong with any other. */
export function sqlitePath(url: string): string {
  if (!url.startsWith('sqlite:')) throw refused(url, 'begin with "sqlite:"')
  // Three slashes are an absolute path with an empty host, as other tools write it.
  const path = url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')
  if (path === MEMORY) return path
  if (path.trim() === '') throw refused(url, 'name a file')
  if (path.startsWith('//')) throw refused(url, 'name a file, not a host')
  if (path.startsWith(':')) throw refused(url, 'name a file, or be "sqlite::memory:"')
  if (/[?#\0]/.test(path)) throw refused(url, 'have no parameters')
  return path
}

function refused(url: string, rule: string): TypeError {
  const examples = '"sqlite:./data/pet-store.db" or "sqlite::memory:"'
  return new TypeError(`An SQLite URL must ${rule}, as in ${examples}; got ${JSON.stringify(url)}.`)
}
