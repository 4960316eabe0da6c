import type { CreatedPet, PetRepository } from '@pet-store/domain'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { causedBy, expectEqual } from '../case/expectations.ts'
import { aTurnLater, wait } from '../case/wait.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { keyWith } from './idempotency-keys.ts'

const STEPS = 12
const TURNS = 6
/** The longest that a call waits for its beginning, in milliseconds. */
const LONGEST_MS = 6

/** Calls that begin while one with the same key is under way, and not in the same moment. */
export const underWayCases: readonly ContractCase<PetRepository>[] = casesOf('pet.idempotency', {
  'under-way: compares a call with one that is under way, as with one that has ended': async (
    pets,
  ) => {
    for (const [moment, untilThen] of Object.entries(MOMENTS)) {
      const key = keyWith({ key: moment })
      const other = { ...key, fingerprint: 'Mia' }
      const first = pets.addWithKey(aNewPet(), key)
      const later = async (call: () => Promise<CreatedPet>) => {
        await untilThen()
        return call()
      }
      const [rex, again, mia, ofOther] = await Promise.allSettled([
        first,
        later(() => pets.addWithKey(aNewPet(), key)),
        later(() => pets.addWithKey(aNewPet({ name: 'Mia' }), other)),
        later(() => pets.addWithKey(aNewPet({ name: 'Mia' }), { ...other, owner: 'other' })),
      ])
      const results = { rex, again, mia }
      const isRexStored = rex.status === 'fulfilled'
      for (const [name, result] of Object.entries(results)) {
        const isWinner = (name === 'mia') !== isRexStored
        const { code = 'none' } = Object(result.status === 'rejected' ? result.reason : undefined)
        causedBy(result, () =>
          expectEqual(
            code,
            isWinner ? 'none' : 'idempotency_key_reused',
            `why the call ${name} was rejected, which began ${moment} after the first`,
          ),
        )
      }
      if (isRexStored && again.status === 'fulfilled')
        expectEqual(again.value.pet, rex.value.pet, `the pet of a repeat ${moment} later`)
      const name = ofOther.status === 'fulfilled' && ofOther.value.pet.name
      expectEqual(name, 'Mia', `the name of the pet of another owner ${moment} later`)
    }
  },
})

/** Which step of the first call these find depends on the adapter. */
const MOMENTS: Readonly<Record<string, () => Promise<void>>> = {
  ...moments(STEPS, 'step', () => Promise.resolve()),
  ...moments(TURNS, 'turn', aTurnLater),
  ...moments(LONGEST_MS, 'ms', () => wait(1)),
}

function moments(count: number, unit: string, pass: () => Promise<void>) {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `${index + 1} ${unit}`,
      async () => {
        for (let passed = 0; passed <= index; passed += 1) await pass()
      },
    ]),
  )
}
