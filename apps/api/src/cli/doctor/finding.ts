/** The result of one check, and what to do about it. An error prevents `serve` from starting. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warning' | 'error'
  readonly message: string
  readonly remedy?: string
}

/** Makes a finding of work that returns a message if all is well, or rejects with what is wrong. */
export async function attempt(
  check: string,
  remedy: string,
  work: () => Promise<string>,
): Promise<Finding> {
  try {
    return { check, state: 'ok', message: await work() }
  } catch (error) {
    return { check, state: 'error', message: (error as Error).message, remedy }
  }
}
