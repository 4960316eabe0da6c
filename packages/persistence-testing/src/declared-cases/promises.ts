import type { BulkAccess, Persistence } from '@pet-store/persistence'
import { everyBulkCall } from '../adapter/every-bulk-call.ts'
import { everyCall, prepareCalls } from '../adapter/every-call.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectPromise } from '../case/expect-promise.ts'
import { expectRejection } from '../case/expectations.ts'
import { aNewApiKey } from '../new-api-keys.ts'
import { anIdempotencyKey } from '../new-idempotency-keys.ts'
import { aNewPet } from '../new-pets.ts'
import type { HarnessCase } from '../persistence-harness.ts'
import { after } from '../times.ts'

const GROUP = { group: 'persistence.declared', timeLimitMs: 60_000 }

/** The types say promise; an adapter in JavaScript, or on a builder of queries, may return less. */
export const promiseCases: readonly HarnessCase[] = casesOf(GROUP, {
  'promises: returns a promise from every function, which rejects where others would throw': async (
    harness,
  ) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const opened = await harness.open({ url, mode: 'migrate' })
    try {
      await prepareCalls(opened, 'promises')
      for (const { run } of everyCall(opened, 'promises')) await run()
      await expectRejections(rejectedCalls(opened))
    } finally {
      await expectPromise('close', () => opened.close())
    }
    const bulk = await harness.openBulkAccess?.({ url, mode: 'migrate' })
    if (bulk === undefined) return
    try {
      const id = (await bulk.lastPetId()) + 100n
      for (const { run } of everyBulkCall(bulk, id)) await run()
      await expectRejections(rejectedBulkCalls(bulk, id))
    } finally {
      await expectPromise('bulk.close', () => bulk.close())
    }
  },
})

type Calls = Readonly<Record<string, () => Promise<unknown>>>

async function expectRejections(calls: Calls): Promise<void> {
  for (const [name, call] of Object.entries(calls))
    await expectRejection(() => expectPromise(name, call), `${name} must reject`)
}

/** After every call. */
function rejectedCalls({ pets, apiKeys }: Persistence): Calls {
  const cancelled = { aborted: true }
  const used = anIdempotencyKey({ key: 'promises', fingerprint: 'other' })
  return {
    'pets.add of a cancelled call': () => pets.add(aNewPet(), cancelled),
    'pets.addWithKey of a cancelled call': () => pets.addWithKey(aNewPet(), used, cancelled),
    'pets.addWithKey of other content': () => pets.addWithKey(aNewPet(), used),
    ...(apiKeys !== undefined && {
      'apiKeys.add of a taken id': () => apiKeys.add(aNewApiKey('promises new')),
      'apiKeys.replace of an unknown id': () =>
        apiKeys.replace('key_none', aNewApiKey('successor'), after(10)),
    }),
  }
}

function rejectedBulkCalls(bulk: BulkAccess, taken: bigint): Calls {
  return { 'bulk.writePets of a taken id': () => bulk.writePets([{ id: taken, ...aNewPet() }]) }
}
