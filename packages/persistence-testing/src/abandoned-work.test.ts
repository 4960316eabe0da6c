import { createMemoryApiKeys } from '@pet-store/access/memory'
import { createMemoryPets } from '@pet-store/domain/memory'
import { expect, it } from 'vitest'
import { apiKeyRepositoryContract } from './api-key-repository-contract.ts'
import type { ContractCase } from './case/contract-case.ts'
import { aTurnLater } from './case/wait.ts'
import { petRepositoryContract } from './pet-repository-contract.ts'

/** The same port; a function of it rejects from its second call on, and calls are counted. */
function failing<Port extends object>(port: Port, name: keyof Port) {
  const counts = { all: 0, failing: 0 }
  const failingPort = new Proxy(port, {
    get: (_, key) => {
      const value: unknown = Reflect.get(port, key)
      if (typeof value !== 'function') return value
      return async (...given: unknown[]) => {
        counts.all += 1
        if (key === name) counts.failing += 1
        if (key === name && counts.failing > 1) throw new Error('planted')
        return value.apply(port, given)
      }
    },
  })
  return { failingPort, counts }
}

async function expectNothingLeft<Port extends object>(
  contract: readonly ContractCase<Port>[],
  id: string,
  port: Port,
  name: keyof Port,
): Promise<void> {
  const { failingPort, counts } = failing(port, name)
  const run = contract.find((one) => one.id === id)?.run
  await expect(run?.(failingPort)).rejects.toThrow('planted')
  // Each call that was under way may be followed by a few of its round.
  for (let turns = 0; turns < 100; turns += 1) await aTurnLater()
  const before = counts.all
  for (let turns = 0; turns < 100; turns += 1) await aTurnLater()
  expect(counts.all).toBe(before)
}

it.each([
  ['pet.list.beside-adds', 'add'],
  ['pet.add.visible-at-once', 'add'],
] as const)('a case leaves no loop running when it fails: %s', (id, name) =>
  expectNothingLeft(petRepositoryContract, id, createMemoryPets(), name),
)

it('a case leaves no loop running when it fails: api-key.revoke-beside-reads', () =>
  expectNothingLeft(
    apiKeyRepositoryContract,
    'api-key.revoke-beside-reads',
    createMemoryApiKeys(),
    'revoke',
  ))
