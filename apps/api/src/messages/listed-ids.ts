const LISTED = 5

/** The first few ids as text, because there may be millions. */
export function listedIds(ids: readonly (bigint | string)[]): string {
  return `${ids.slice(0, LISTED).join(', ')}${ids.length > LISTED ? ' and others' : ''}`
}
