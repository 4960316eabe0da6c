import type { PetInput } from '@pet-store/domain'
import type { Random } from '@pet-store/testing'
import { UNSTORABLE } from '../unstorable.ts'
import type { Sending } from './clients/http-client.ts'
import type { IntendedPet, NewIntendedPet, UsedKey } from './world-ledger.ts'

const STATUSES = ['available', 'pending', 'sold', 'none'] as const
const CATEGORIES = ['1', '7', '9007199254740993', '-9223372036854775808', '9223372036854775807']
const DECORATIONS = [
  '',
  '',
  '',
  ' שלג',
  ' "q" \\ {a,b}',
  ' 🐕'.repeat(40),
  " '); drop",
  ' \\"',
  ` ${'x'.repeat(700)}`,
]

/** A pet under a name with this number. Of some the server rejects the values. */
export function newIntendedPet(
  random: Random,
  number: number,
  {
    key,
    isRejected = random.next() < 0.06,
  }: { readonly key?: UsedKey | undefined; readonly isRejected?: boolean | undefined },
): NewIntendedPet {
  const decoration = isRejected ? UNSTORABLE : random.pick(DECORATIONS)
  return {
    name: `p${number}${decoration}`,
    categoryId: random.pick(CATEGORIES),
    status: pickStatus(random),
    key,
    isRejected,
  }
}

function pickStatus(random: Random): IntendedPet['status'] {
  const status = random.pick(STATUSES)
  return status === 'none' ? undefined : status
}

/** A first page of a list, with any limit and any filter. */
export function pickPage(random: Random) {
  const limit = random.pick([1, 2, 3, 5, 20, 100])
  const status = pickStatus(random)
  const filter = status === undefined ? '' : `&status=${status}`
  return { path: `/v1/pets?limit=${limit}${filter}`, limit, status }
}

export function creationOf({ name, categoryId, status, key }: IntendedPet): Sending {
  const fields = [`"name":${JSON.stringify(name)}`, `"categoryId":${categoryId}`]
  if (status !== undefined) fields.push(`"status":"${status}"`)
  return {
    method: 'POST',
    path: '/v1/pets',
    body: `{${fields.join(',')}}`,
    ...(key !== undefined && { headers: { 'Idempotency-Key': key.text } }),
  }
}

export function inputOf({ name, categoryId, status }: IntendedPet): PetInput {
  return { name, categoryId: BigInt(categoryId), status }
}

export function label({ name }: IntendedPet): string {
  return name.slice(0, 12)
}
