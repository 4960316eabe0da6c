import { AssertionError } from 'node:assert/strict'
import { describe, expect, it } from 'vitest'
import type { ContractCase } from './contract-case.ts'

/** Something that breaks one promise of a port on purpose, and the cases that must notice. */
export interface Fault<Port> {
  /** What it does wrong. */
  readonly name: string
  /** Names of cases. Each of them must reject. */
  readonly caughtBy: readonly string[]
  /** Puts the fault in front of an adapter without one. */
  over(port: Port): Port
}

/** What a fault throws where a broken adapter would: told apart from a mistake in the fault itself. */
export class BrokenOnPurpose extends Error {}

/** Lets other callers in, as a round trip to a database does. */
export function pause(): Promise<void> {
  return Promise.resolve()
}

/** Runs each fault against the cases that must catch it, and asks that each case was seen to catch one. */
export function testContract<Port>(
  contractName: string,
  contract: readonly ContractCase<Port>[],
  faults: readonly Fault<Port>[],
  create: () => Port,
): void {
  const cases = new Map(contract.map((contractCase) => [contractCase.name, contractCase]))

  describe(`${contractName} notices an adapter that`, () => {
    for (const { name, caughtBy, over } of faults) {
      it.each(caughtBy)(`${name}: %s`, async (caseName) => {
        const outcome = await cases
          .get(caseName)
          ?.run(over(create()))
          .then(
            () => 'passed',
            (error: unknown) => error,
          )

        // Any other error would be a mistake in the fault or in the case.
        expect(outcome).toSatisfy((error) => error instanceof AssertionError || error instanceof BrokenOnPurpose)
      })
    }
  })

  describe(contractName, () => {
    it('has a name of its own for each case', () => {
      expect(cases.size).toBe(contract.length)
    })

    it('has no case that nothing was seen to fail', () => {
      const caught = new Set(faults.flatMap((fault) => fault.caughtBy))
      expect([...cases.keys()].filter((name) => !caught.has(name))).toEqual([])
    })
  })
}
