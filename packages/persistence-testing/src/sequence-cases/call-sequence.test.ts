import type { PetRepository } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { lastPetChoices, petChoices } from '../call-choices/pet-choices.ts'
import { aTurnLater } from '../case/wait.ts'
import type { Model } from '../model/model.ts'
import { type Choice, expectValue } from '../model/model-call.ts'
import type { OpenDatabase } from '../model/open-database.ts'
import { callsAtOnce, expectAsModel } from './call-sequence.ts'

function harnessOf(create: () => PetRepository) {
  return {
    emptyDatabase: async () => '',
    open: async () => ({ pets: create(), check: async () => {}, close: async () => {} }),
  }
}

/** Sequences of calls on pets; one opening for each, because closing forgets them. */
const run = (create: () => PetRepository) =>
  expectAsModel(
    harnessOf(create),
    petChoices.map((choice) => callsAtOnce([choice])),
    { sequences: 8, steps: 100, lastSteps: [] },
  )

it('sequences of calls pass with an adapter whose results are correct', async () => {
  await expect(run(() => createMemoryPets())).resolves.toBeUndefined()
})

it('the error of a sequence shows the few calls that are enough to see what is wrong', async () => {
  const error: unknown = await run(() => {
    const pets = createMemoryPets()
    let adds = 0
    return {
      ...pets,
      add: (...values) => {
        adds += 1
        return pets.add(...values)
      },
      find: async (id) => (adds > 1 && id === 2n ? undefined : pets.find(id)),
    }
  }).catch((reason) => reason)
  const [, calls = ''] = (error as Error).message.split('at the same time:\n')
  const lines = calls.split('\n')
  expect(lines.length).toBeLessThan(10)
  expect(lines.at(-1)).toMatch(/^\d[.] pets0[.]find[(]2n[)] -> undefined$/)
})

it('no shorter failing sequences are looked for when the time for that is over', async () => {
  let clock = 0
  const now = vi.spyOn(performance, 'now').mockImplementation(() => (clock += 6_000))
  let computed = 0
  const harness = harnessOf(() => ({ ...createMemoryPets(), list: async () => [] }))
  const steps = petChoices.map((choice) => {
    computed += 1
    return callsAtOnce([choice])
  })
  const plan = {
    sequences: 1,
    steps: 100,
    lastSteps: lastPetChoices.map((choice) => callsAtOnce([choice])),
  }
  await expect(expectAsModel(harness, steps, plan)).rejects.toThrow('pets0.list')
  now.mockRestore()
  expect(computed).toBeLessThan(300)
})

it('a sequence passes if only a later call shows which of two at once was the last', async () => {
  let last = 0
  const write =
    (number: number): Choice =>
    () => ({
      text: `write(${number})`,
      async run() {
        // The first one happens last.
        if (number === 1) await aTurnLater()
        last = number
      },
      apply: (model) => void model.requests.set('last', number),
    })
  const read: Choice = () => ({
    text: 'read()',
    run: async () => last,
    apply: (model, outcome) => expectValue(outcome, model.requests.get('last'), 'read()'),
  })
  const plan = { sequences: 1, steps: 1, lastSteps: [callsAtOnce([read]), callsAtOnce([read])] }
  const harness = harnessOf(() => createMemoryPets())
  await expectAsModel(harness, fc.constant(callsAtOnce([write(1), write(2)])), plan)
  const never = fc.constant(callsAtOnce([write(1), write(1)]))
  const other: Choice = () => ({ ...read({} as Model, {} as OpenDatabase), run: async () => 2 })
  await expect(
    expectAsModel(harness, never, { ...plan, lastSteps: [callsAtOnce([other])] }),
  ).rejects.toThrow('the result of read()')
})
