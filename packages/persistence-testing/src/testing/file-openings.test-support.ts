import { wait } from './file-wait.test-support.ts'

const calls = new Map<string, number>()

/** Counts the calls of every opening of a file that are under way. */
export function countCall(pathname: string, called: Promise<unknown>): void {
  const change = (by: number) => void calls.set(pathname, (calls.get(pathname) ?? 0) + by)
  change(1)
  const end = () => change(-1)
  called.then(end, end)
}

/** Waits until no opening of a file has a call under way. */
export async function untilNoneCalls(pathname: string): Promise<void> {
  while ((calls.get(pathname) ?? 0) > 0) await wait(1)
}
