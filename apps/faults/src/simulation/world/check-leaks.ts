import { PERFECT_LINK, type WireResponse } from '@pet-store/testing'
import { HttpClient } from './http-client.ts'
import type { Instance } from './instance.ts'
import type { Record } from './record.ts'
import { CALL_LIMIT_MS } from './use-case-caller.ts'
import { pause } from './virtual-time.ts'

/** Says which slots are free: as many requests as may be under way must be under way at once. */
export async function judgeSlots(
  record: Record,
  instance: Instance,
  max: number,
  keys: readonly string[],
): Promise<void> {
  const open = instance.holdReads()
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
  open()
  const responses = await record.call('gets at once', CALL_LIMIT_MS, Promise.all(sent))
  if (held < max) record.violate(`${held} of ${max} slots are free`)
  if (responses.some((response) => response?.status !== 404))
    record.violate(`gets at once in a calm world: ${responses.map(told).join(', ')}`)
  for (const client of clients) client.close()
}

/** How often connections are looked at: some work in the background, such as polls of replicas. */
const LOOKS = 8

/** Says which connections to the database are busy although nobody waits. */
export async function judgeConnections(record: Record, { persistence }: Instance): Promise<void> {
  let busy: readonly string[] = []
  for (let look = 0; look < LOOKS; look += 1) {
    await pause(137)
    busy = (persistence.poolUse?.() ?? [])
      .filter((use) => use.busy > 0 || use.waiting > 0)
      .map((use) => `${use.name}: ${use.busy} connections are busy, ${use.waiting} calls wait`)
    if (busy.length === 0) return
  }
  record.violate(busy.join('; '))
}

/** A response in a few words. */
export function told(response: WireResponse | undefined): string {
  return response === undefined
    ? 'no response'
    : `${response.status} ${response.text.slice(0, 120)}`
}
