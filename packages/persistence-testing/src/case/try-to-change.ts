/** Does what a careless caller in JavaScript may do; what is frozen, and throws, is detached. */
export function tryToChange(change: () => void): void {
  try {
    change()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
}
