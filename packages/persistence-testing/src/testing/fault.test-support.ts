import { AssertionError } from 'node:assert/strict'
import { describe, expect, it } from 'vitest'
import type { ContractCase } from '../case/contract-case.ts'

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

/** Lets other callers run, as a round trip to a database does. */
export function pause(): Promise<void> {
  return Promise.resolve()
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

/**
 * Expects each fault to fail each of its cases, each case to fail for at least one fault, and the
 * fake to pass all of them.
 */
export function testContract<Port>(
  contractName: string,
  contract: readonly ContractCase<Port>[],
  faults: readonly Fault<Port>[],
  createFake: () => Port,
): void {
  const cases = new Map(contract.map((contractCase) => [contractCase.id, contractCase]))

  describe(contractName, () => {
    it.each(contract.map(({ id }) => id))(
      `${contractName}: %s passes with a fake without a fault`,
      async (id) => {
        await cases.get(id)?.run(createFake())
      },
    )

    for (const [name, caughtBy, create] of faults) {
      it.each(caughtBy)(`${contractName} notices an adapter that ${name}: %s`, async (id) => {
        const isEndless = name === 'never responds'
        const error = await cases
          .get(id)
          ?.run(create(), isEndless ? 100 : undefined)
          .catch((reason: unknown) => reason)
        // Any other error is a mistake in the fault or in the case, and so is a case that takes too
        // long.
        expect(error).toSatisfy(
          (reason) => reason instanceof AssertionError || reason instanceof BrokenOnPurpose,
        )
        expect(String(error).includes('did not end')).toBe(isEndless)
      })
    }

    it(`${contractName} has no case that never fails`, () => {
      const caught = new Set(faults.flatMap(([, caughtBy]) => caughtBy))
      expect([...cases.keys()].filter((id) => !caught.has(id))).toEqual([])
    })
  })
}
