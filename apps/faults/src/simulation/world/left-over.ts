import { PERFECT_WAY, type WireResponse } from '@pet-store/testing'
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
        () => PERFECT_WAY,
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

/** Says which connections to the database are busy although nobody waits. */
export function judgeConnections(record: Record, { persistence }: Instance): void {
  for (const { name, busy, waiting } of persistence.poolUse?.() ?? []) {
    if (busy > 0 || waiting > 0)
      record.violate(`${busy} connections of ${name} are busy, ${waiting} calls wait`)
  }
}

/** A response in a few words. */
export function told(response: WireResponse | undefined): string {
  return response === undefined
    ? 'no response'
    : `${response.status} ${response.text.slice(0, 120)}`
}
