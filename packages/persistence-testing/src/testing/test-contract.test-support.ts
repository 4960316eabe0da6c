// Apart from the faults, because processes that a case starts import those, and need no vitest.
import { AssertionError } from 'node:assert/strict'
import { describe, expect, it } from 'vitest'
import type { ContractCase } from '../case/contract-case.ts'
import { BrokenOnPurpose, type Fault } from './fault.test-support.ts'

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
