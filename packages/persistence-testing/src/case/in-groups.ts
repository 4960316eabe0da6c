const GROUP_SIZE = 20

/**
 * Calls for 0, 1 and so on, 20 at a time by default: an adapter may limit how long a
 * call waits for one of its connections.
 */
export async function inGroups<Result>(
  count: number,
  call: (index: number) => Promise<Result>,
  groupSize: number = GROUP_SIZE,
): Promise<Result[]> {
  const results: Result[] = []
  while (results.length < count) {
    const start = results.length
    const length = Math.min(groupSize, count - start)
    results.push(...(await Promise.all(Array.from({ length }, (_, index) => call(start + index)))))
  }
  return results
}
