// The key that this tab keeps on request. A browser may forbid that.
const NAME = 'pet-store-api-key'

export function keptKey(): string | undefined {
  try {
    return sessionStorage.getItem(NAME) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a key until the tab is closed, or forgets the one that is kept. */
export function keepKey(key: string | undefined): void {
  try {
    if (key === undefined) sessionStorage.removeItem(NAME)
    else sessionStorage.setItem(NAME, key)
  } catch {
    // The next page will ask for the key again.
  }
}
