import { PERFECT_LINK } from '@pet-store/testing'
import { HttpClient, summaryOf } from './clients/http-client.ts'
import { CALL_LIMIT_MS } from './clients/use-case-caller.ts'
import type { Instance } from './instance.ts'
import { pause } from './virtual-time.ts'
import type { WorldLedger } from './world-ledger.ts'

/** Checks that every slot is free: as many requests as there are slots run at the same time. */
export async function checkSlots(
  ledger: WorldLedger,
  instance: Instance,
  max: number,
  keys: readonly string[],
): Promise<void> {
  const release = instance.holdReads()
  const clients = Array.from(
    { length: max },
    () =>
      new HttpClient(
        (socket) => instance.accept(socket),
        () => PERFECT_LINK,
      ),
  )
  // One key may not hold all.
  const sent = clients.map((client, index) =>
    client.send({ path: '/v1/pets/999999999', key: keys[index % keys.length] }),
  )
  await pause(500)
  const { held } = instance
  release()
  const responses = await ledger.call('gets at once', CALL_LIMIT_MS, Promise.all(sent))
  if (held < max) ledger.violate(`${held} of ${max} slots are free`)
  if (responses.some((response) => response?.status !== 404))
    ledger.violate(`gets at once in a calm world: ${responses.map(summaryOf).join(', ')}`)
  for (const client of clients) client.close()
}

/** How often connections are checked, since work in the background, such as polls, uses some. */
const ATTEMPTS = 8
/** No multiple or fraction of the time between two polls, so that not every check meets one. */
const INTERVAL_MS = 137

/** Checks that no connection to the database stays busy while no request is under way. */
export async function checkConnections(
  ledger: WorldLedger,
  { persistence }: Instance,
): Promise<void> {
  let busy: readonly string[] = []
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await pause(INTERVAL_MS)
    busy = (persistence.poolUse?.() ?? [])
      .filter((use) => use.busy > 0 || use.waiting > 0)
      .map((use) => `${use.name}: ${use.busy} connections are busy, ${use.waiting} calls wait`)
    if (busy.length === 0) return
  }
  ledger.violate(busy.join('; '))
}
