import { ask } from '@pet-store/testing'
import { dataPage, dataPet, FREQUENT_STATUS, newPetJson, petJson, RARE } from './data-set.ts'
import { API_KEY, type CheckedRequest } from './request.ts'

/** What is measured. */
export interface Operation {
  readonly id: string
  readonly title: string
  /** The share of the warm-up: 1 where code runs for the first time, less where another operation has warmed it up. */
  readonly warmUp: number
  requests(target: Target): CheckedRequest[]
}

/** What requests depend on. */
export interface Target {
  /** How many pets there are to begin with. */
  readonly size: number
  /** The query parameter that asks for the page after an id. */
  pageAfter(id: number): string
}

/** Parts of the list after which a page is far down. */
const FAR_DOWN = [0.7, 0.72, 0.74, 0.76, 0.78]
/** Pets on each page of the walk that collects cursors. */
const WALK = 100

export const LIST: Operation = { id: 'list', title: 'List 20', warmUp: 1, requests: ({ size }) => [list(size)] }
export const GET: Operation = { id: 'get', title: 'Get one', warmUp: 1, requests: ({ size }) => gets(size) }
export const CREATE: Operation = { id: 'create', title: 'Create', warmUp: 1, requests: ({ size }) => creates(size) }
/** What the latency is measured with. */
export const MIXED: Operation = { id: 'mixed', title: 'Mixed', warmUp: 0.1, requests: mixed }

export const OPERATIONS: readonly Operation[] = [
  LIST,
  { id: 'page', title: 'A page far down', warmUp: 0.1, requests: pages },
  {
    id: 'list-100',
    title: 'List 100 with a status',
    warmUp: 0.1,
    requests: ({ size }) => [list(size, { limit: 100, status: FREQUENT_STATUS })],
  },
  GET,
  CREATE,
  MIXED,
]

/** A target whose pages are asked for by id. */
export function targetById(size: number): Target {
  return { size, pageAfter: (id) => `after=${id}` }
}

/** A target whose pages are asked for by cursor. Collects the cursors on a walk through the list, as a client does. */
export async function targetByCursor(port: number, size: number): Promise<Target> {
  const wanted = new Set([...FAR_DOWN.map((part) => idAt(part, size)), lastPageAfter(size)])
  const cursors = new Map<number, string>()
  let path = `/v1/pets?limit=${WALK}`
  for (let id = WALK; cursors.size < wanted.size; id += WALK) {
    const response = await ask(port, { path, key: API_KEY })
    const query = /<(\?[^>]+)>; rel="next"/.exec(response?.headers['link'] ?? '')?.[1]
    if (query === undefined) throw new Error(`The list ends before pet ${id}.`)
    path = `/v1/pets${query}`
    if (wanted.has(id)) cursors.set(id, new URLSearchParams(query).get('cursor') ?? '')
  }
  return { size, pageAfter: (id) => `cursor=${cursors.get(id)}` }
}

/** The id after which the last page of the walk begins. */
export function lastPageAfter(size: number): number {
  return size - WALK
}

function idAt(part: number, size: number): number {
  return Math.floor((size * part) / WALK) * WALK
}

interface ListOptions {
  readonly limit?: number
  readonly status?: string
  readonly after?: number
  /** How the position is asked for. */
  readonly position?: string
}

export function list(size: number, { limit = 20, position, ...filter }: ListOptions = {}): CheckedRequest {
  const parts = [`limit=${limit}`, filter.status && `status=${filter.status}`, position].filter(Boolean)
  const responseBody = `[${dataPage(size, limit, filter).map(petJson).join(',')}]`
  return { method: 'GET', path: `/v1/pets?${parts.join('&')}`, status: 200, responseBody }
}

function pages({ size, pageAfter }: Target): CheckedRequest[] {
  return FAR_DOWN.map((part) => idAt(part, size)).map((after) => list(size, { after, position: pageAfter(after) }))
}

/** Ids all over the table, in an order without a pattern. */
function gets(size: number): CheckedRequest[] {
  return Array.from({ length: 200 }, (_, index) => {
    const id = 1 + ((index * 7_919) % size)
    return { method: 'GET', path: `/v1/pets/${id}`, status: 200, responseBody: petJson(dataPet(id, size)) }
  })
}

/** Names of both kinds in turn, none of them with the rare status. */
function creates(size: number): CheckedRequest[] {
  return Array.from({ length: 50 }, (_, index) => {
    const pet = dataPet(index % 2 === 0 ? index + 1 : size - RARE - index, size)
    return { method: 'POST', path: '/v1/pets', body: newPetJson(pet), status: 201 }
  })
}

/** 35% list, 50% get, 5% pages far down, 10% create, always in the same order. */
function mixed(target: Target): CheckedRequest[] {
  const kinds = { l: [list(target.size)], g: gets(target.size), p: pages(target), c: creates(target.size) }
  const order = Array.from('lglglgcglglgpglglgcg') as (keyof typeof kinds)[]
  return Array.from({ length: 10 }, () => order)
    .flat()
    .flatMap((kind, index) => kinds[kind].at(index % kinds[kind].length) ?? [])
}
