import type { PersistenceHarness } from './persistence-harness.ts'

/** Makes a call of an adapter by `call`, and returns what it returns. */
export type Follow = (name: string, args: readonly unknown[], call: () => unknown) => unknown

/** The same harness. Every call of what it opens, and each opening, is made by `follow`. */
export function followedHarness(harness: PersistenceHarness, follow: Follow): PersistenceHarness {
  /**
   * An object with the same functions, which are called on the given one: it may be frozen, or an
   * instance of a class.
   */
  function followed<Opened extends object>(name: string, opened: Opened): Opened {
    const isPart = (value: unknown): value is object => typeof value === 'object' && value !== null
    return new Proxy({} as Opened, {
      get(_, key) {
        const value: unknown = Reflect.get(opened, key)
        if (typeof value !== 'function') return isPart(value) ? followed(String(key), value) : value
        return (...args: unknown[]) => {
          const result = follow(`${name}.${String(key)}`, args, () => value.apply(opened, args))
          return key === 'createRateLimiter' && isPart(result)
            ? followed('rateLimiter', result)
            : result
        }
      },
    })
  }

  const opening =
    <Options, Opened extends object>(name: string, open: (options: Options) => Promise<Opened>) =>
    async (options: Options): Promise<Opened> =>
      followed('persistence', (await follow(name, [options], () => open(options))) as Opened)

  const { open, openBulkAccess } = harness
  return {
    ...harness,
    open: opening('open', open),
    ...(openBulkAccess && { openBulkAccess: opening('openBulkAccess', openBulkAccess) }),
  }
}
