import { writeCursor } from '@pet-store/http-express'
import { dataPage, dataPet, newPetJson, petJson, STATUS } from './data-set.ts'
import { type CheckedRequest, checkedRequest, withKey, withNewKeys } from './request.ts'

/** What is measured. */
export interface Operation {
  readonly id: string
  readonly title: string
  requests(target: Target): CheckedRequest[]
}

/** What requests depend on. */
interface Target {
  /** How many pets there are to begin with. */
  readonly size: number
  /** Whether it takes cursors, as our service does, or the id after which a page begins. */
  readonly takesCursors: boolean
}

const LONG_LIST = { limit: 100, status: STATUS }
export const LIST: Operation = {
  id: 'list',
  title: 'List 20',
  requests: (target) => [list(target)],
}
export const GET: Operation = { id: 'get', title: 'Get one', requests: gets }
export const CREATE: Operation = { id: 'create', title: 'Create', requests: creates }
const CREATE_WITH_KEY: Operation = {
  id: 'create-with-key',
  title: 'Create with a key',
  requests: (target) => creates(target).map(withNewKeys),
}
const REPEAT: Operation = {
  id: 'repeat',
  title: 'Repeat with the same key',
  requests: (target) =>
    creates(target).map((request, index) => withKey(request, `repeat-${index}`)),
}
/** What the latency is measured with. */
export const MIXED: Operation = { id: 'mixed', title: 'Mixed', requests: mixed }
export const OPERATIONS: readonly Operation[] = [
  LIST,
  { id: 'page', title: 'A page far down', requests: pages },
  {
    id: 'list-100',
    title: 'List 100 with a status',
    requests: (target) => [list(target, LONG_LIST)],
  },
  ...[GET, CREATE, CREATE_WITH_KEY, REPEAT, MIXED],
]

type ListOptions = { readonly limit?: number; readonly status?: string; readonly after?: number }

function list(
  { size, takesCursors }: Target,
  { limit = 20, ...filter }: ListOptions = {},
): CheckedRequest {
  const query = new URLSearchParams({ limit: String(limit) })
  if (filter.status !== undefined) query.set('status', filter.status)
  if (filter.after !== undefined && takesCursors)
    query.set('cursor', writeCursor(BigInt(filter.after), undefined))
  else if (filter.after !== undefined) query.set('after', String(filter.after))
  const responseBody = `[${dataPage(size, limit, filter).map(petJson).join(',')}]`
  return checkedRequest({ path: `/v1/pets?${query}` }, 200, responseBody)
}

function pages(target: Target): CheckedRequest[] {
  return [0.7, 0.72, 0.74, 0.76, 0.78].map((part) =>
    list(target, { after: Math.floor(target.size * part) }),
  )
}

/** Ids all over the table, in an order without a pattern. */
function gets({ size }: Target): CheckedRequest[] {
  return Array.from({ length: 200 }, (_, index) => {
    const id = 1 + ((index * 7_919) % size)
    return checkedRequest({ path: `/v1/pets/${id}` }, 200, petJson(dataPet(id, size)))
  })
}

/** Names of both kinds in turn. */
function creates({ size }: Target): CheckedRequest[] {
  return Array.from({ length: 50 }, (_, index) => {
    const pet = dataPet(index % 2 === 0 ? index + 1 : size - index, size)
    return checkedRequest({ method: 'POST', path: '/v1/pets', body: newPetJson(pet) }, 201)
  })
}

/**
 * 35% list, 50% get, 5% pages far down, 10% create with a key, as the client does; always in the
 * same order.
 */
function mixed(target: Target): CheckedRequest[] {
  const created = creates(target).map(withNewKeys)
  const kinds = { l: [list(target)], g: gets(target), p: pages(target), c: created }
  const order = Array.from('lglglgcglglgpglglgcg'.repeat(10)) as (keyof typeof kinds)[]
  return order.flatMap((kind, index) => kinds[kind].at(index % kinds[kind].length) ?? [])
}
