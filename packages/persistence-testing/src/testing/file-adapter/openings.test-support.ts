import { wait } from './wait.test-support.ts'

const calls = new Map<string, { begun: number; ended: number }>()

/** Counts the calls of every opening of a file. */
export function countCall(pathname: string, called: Promise<unknown>): void {
  const counts = calls.get(pathname) ?? { begun: 0, ended: 0 }
  calls.set(pathname, counts)
  counts.begun += 1
  const end = () => {
    counts.ended += 1
  }
  called.then(end, end)
}

/** Waits until no opening of a file has a call under way, or begins one for a moment. */
export async function untilNoneCalls(pathname: string): Promise<void> {
  for (let before = -1; ; ) {
    const { begun = 0, ended = 0 } = calls.get(pathname) ?? {}
    if (begun === ended && begun === before) return
    before = begun
    await wait(1)
  }
}
