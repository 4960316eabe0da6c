// A key that somebody has asked this tab to keep. A browser can forbid to keep anything.
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
    // Then it is asked for again on the next page.
  }
}
