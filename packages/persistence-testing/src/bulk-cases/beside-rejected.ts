import { INT64 } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { aTurnLater } from '../case/wait.ts'
import { hashOf } from '../test-data/new-api-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { ALL, apiKeyOf, importOf } from './items.ts'
import { type Kind, kindsOf } from './orders.ts'

const ROUNDS = 8
/** The ids of pets begin here, so that those of new pets are smaller. */
const FIRST_ID = 1_000_000n

/** Calls at the same time, some of which break a rule. */
export const besideRejectedCases: readonly ContractCase<BulkAccess>[] = casesOf('bulk', {
  'beside-rejected: stores every item of calls that resolve while others are rejected': async (
    bulk,
  ) => {
    await bulk.writePets([1n, FIRST_ID].map((id) => ({ id, ...aNewPet() })))
    await bulk.writeApiKeys([apiKeyOf('taken')])
    const kinds = Object.entries({ ...kindsOf(bulk), pets: petsOf(bulk) })
    for (let round = 1; round <= ROUNDS; round += 1) {
      // Each kind of item is written right after each kind of call that is rejected.
      const calls = kinds.flatMap(([, kind], index) =>
        rejectedCalls(bulk).flatMap((reject, other) => {
          const rejected = expectRejection(reject, 'a call that breaks a rule must reject')
          const name = (round * kinds.length + index) * 3 + other
          return [rejected, kind.write([name])]
        }),
      )
      await Promise.all(calls)
    }
    for (const [name, kind] of kinds) {
      const index = kinds.findIndex(([other]) => other === name)
      const expected = Array.from({ length: ROUNDS }, (_, round) =>
        [0, 1, 2].map((other) => ((round + 1) * kinds.length + index) * 3 + other),
      ).flat()
      const stored = new Set(await kind.read())
      const missing = expected.filter((one) => !stored.has(one))
      expectEqual(missing, [], `the ${name} of calls that have resolved, and are not stored`)
    }
    const imports = (await bulk.readPetImports()).filter(({ lines }) => lines === REJECTED_LINES)
    expectEqual([await bulk.countPets(), imports], [2 + 3 * ROUNDS, []], 'what is stored beside')
  },

  'beside-rejected.reads: reads nothing of a call that is rejected, even while it is made': async (
    bulk,
  ) => {
    await bulk.writePets([{ id: 1n, ...aNewPet() }])
    await bulk.writeApiKeys([apiKeyOf('taken')])
    // The last id that is left is enough for one pet.
    await bulk.movePetIdsPast(INT64.max - 1n)
    for (const read of readsOf(bulk)) {
      const before = await read()
      for (const reject of callsRejectedLate(bulk)) {
        for (let count = 0; count < OFTEN; count += 1) {
          let hasEnded = false
          const rejected = expectRejection(reject, 'a call that breaks a rule must reject')
          const ended = rejected.finally(() => {
            hasEnded = true
          })
          const reading = Array.from({ length: READERS }, async () => {
            while (!hasEnded) {
              expectEqual(await read(), before, 'what is read beside such a call')
              // Reads that wait for nothing would leave the call no time.
              await aTurnLater()
            }
          })
          await Promise.all([ended, ...reading])
        }
      }
    }
  },
})

const REJECTED_LINES = 77

/** An import that has not begun, a taken id and a taken hash. */
function rejectedCalls(bulk: BulkAccess): readonly (() => Promise<void>)[] {
  const from = importOf({ id: 9_999_999n })
  return [
    () => bulk.addPets([aNewPet()], { from, to: { ...from, lines: REJECTED_LINES } }),
    () => bulk.writePets([{ id: FIRST_ID, ...aNewPet() }]),
    () => bulk.writeApiKeys([apiKeyOf('other', { id: 'key_other', sha256: hashOf('taken') })]),
  ]
}

/** Each reads at another moment of the call, in a database that runs one read after the other. */
const READERS = 3
const OFTEN = 3

/** Whatever a call that is rejected may have stored before. */
function readsOf(bulk: BulkAccess): readonly (() => Promise<unknown>)[] {
  return [
    () => bulk.readPetImports(),
    () => bulk.countPets(),
    () => bulk.readPets({ limit: 9 }),
    () => bulk.readApiKeys(),
  ]
}

/** Each breaks a rule by its last item: there are too few ids, or the id or the hash is taken. */
function callsRejectedLate(bulk: BulkAccess): readonly (() => Promise<void>)[] {
  return [
    () => bulk.addPets([aNewPet(), aNewPet()], { to: importOf() }),
    () => bulk.writePets([2n, 1n].map((id) => ({ id, ...aNewPet() }))),
    () => bulk.writeApiKeys([apiKeyOf('new'), apiKeyOf('other', { sha256: hashOf('taken') })]),
  ]
}

function petsOf(bulk: BulkAccess): Kind {
  return {
    write: (names) =>
      bulk.writePets(names.map((name) => ({ id: FIRST_ID + BigInt(name), ...aNewPet() }))),
    read: async () => (await bulk.readPets({ limit: ALL })).map(({ id }) => Number(id - FIRST_ID)),
  }
}
