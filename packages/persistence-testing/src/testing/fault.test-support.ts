import { deflateRawSync } from 'node:zlib'

/**
 * A fake that breaks one guarantee on purpose: what it does wrong, the ids of the cases that must
 * fail, and the fake.
 */
export type Fault<Port> = readonly [name: string, caughtBy: readonly string[], create: () => Port]

/**
 * Faults as they are written down: `ids of the cases that must fail: what it does wrong`, and parts
 * that replace those of a fake without a fault; `original` has the methods before that.
 */
export type Faults<Fake> = Readonly<
  Record<string, Partial<Fake> | ((fake: Fake, original: Fake) => Partial<Fake>)>
>

/** What a broken adapter throws on purpose; any other error is a mistake in the fault itself. */
export class BrokenOnPurpose extends Error {}

export function broken(): never {
  throw new BrokenOnPurpose('broken on purpose')
}

/** Databases compress texts, and do not index what is longer then than a third of a page. */
export function isTooLongForIndex(text: string): boolean {
  return deflateRawSync(text).length > 2_700
}

/** Lets other callers run, as a round trip to a database does. */
export function pause(): Promise<void> {
  return Promise.resolve()
}

/**
 * Makes a function that is false for the first calls: a fault that needs it shows only once an
 * adapter has its connections, for each of which the first calls wait.
 */
export function isAfter(calls: number): () => boolean {
  let made = 0
  return () => {
    made += 1
    return made > calls
  }
}

/** The faults of one group of cases. */
export function faultsOf<Fake extends object>(
  createFake: () => Fake,
  group: string,
  ...faults: readonly Faults<Fake>[]
): readonly Fault<Fake>[] {
  return faults.flatMap(Object.entries<Faults<Fake>[string]>).map(([text, parts]) => {
    const [ids = '', name = ''] = text.split(': ')
    const create = () => {
      const fake = createFake()
      const isPlain = Object.getPrototypeOf(fake) === Object.prototype
      const original = isPlain ? { ...fake } : boundTo(fake)
      return Object.assign(fake, typeof parts === 'function' ? parts(fake, original) : parts)
    }
    return [name, ids.split(' ').map((id) => `${group}.${id}`), create]
  })
}

/** The methods of an instance as they are now, so that a fault can call what it replaces. */
function boundTo<Fake extends object>(fake: Fake): Fake {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(fake)) as (keyof Fake)[]
  const methods = names.map((name) => [name, (fake[name] as () => unknown).bind(fake)] as const)
  return Object.fromEntries(methods) as unknown as Fake
}
