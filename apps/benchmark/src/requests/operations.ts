import { ask } from '@pet-store/testing'
import { dataPage, dataPet, newPetJson, petJson, STATUS } from './data-set.ts'
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

const list100 = { limit: 100, status: STATUS }
export const LIST = operation('list', 'List 20', 1, ({ size }) => [list(size)])
export const GET = operation('get', 'Get one', 1, ({ size }) => gets(size))
export const CREATE = operation('create', 'Create', 1, ({ size }) => creates(size))
/** What the latency is measured with. */
export const MIXED = operation('mixed', 'Mixed', 0.1, mixed)
export const OPERATIONS = [
  LIST,
  operation('page', 'A page far down', 0.1, pages),
  operation('list-100', 'List 100 with a status', 0.1, ({ size }) => [list(size, list100)]),
  ...[GET, CREATE, MIXED],
]

function operation(id: string, title: string, warmUp: number, requests: Operation['requests']): Operation {
  return { id, title, warmUp, requests }
}

/** A target whose pages are asked for by id. */
export function targetById(size: number): Target {
  return { size, pageAfter: (id) => `after=${id}` }
}

/** Pets on each page of the walk that collects cursors. */
const WALK = 100

/** A target whose pages are asked for by cursor. Collects the cursors on a walk through the list, as a client does. */
export async function targetByCursor(port: number, size: number): Promise<Target> {
  const cursors = new Map<number, string>()
  let path = `/v1/pets?limit=${WALK}`
  for (let id = WALK; id <= Math.max(...farDown(size)); id += WALK) {
    const response = await ask(port, { path, key: API_KEY })
    const query = /<(\?[^>]+)>; rel="next"/.exec(response?.headers['link'] ?? '')?.[1]
    if (query === undefined) throw new Error(`The list ends before pet ${id}.`)
    path = `/v1/pets${query}`
    cursors.set(id, new URLSearchParams(query).get('cursor') ?? '')
  }
  return { size, pageAfter: (id) => `cursor=${cursors.get(id)}` }
}

/** Ids after which a page is far down. */
function farDown(size: number): number[] {
  return [0.7, 0.72, 0.74, 0.76, 0.78].map((part) => Math.floor((size * part) / WALK) * WALK)
}

type ListOptions = { readonly limit?: number; readonly status?: string; readonly after?: number }

/** Pets from an id on. The requests asks for that position in its own way. */
function list(size: number, { limit = 20, ...filter }: ListOptions = {}, position = ''): CheckedRequest {
  const query = [`limit=${limit}`, filter.status && `status=${filter.status}`, position].filter(Boolean).join('&')
  const responseBody = `[${dataPage(size, limit, filter).map(petJson).join(',')}]`
  return { method: 'GET', path: `/v1/pets?${query}`, status: 200, responseBody }
}

function pages({ size, pageAfter }: Target): CheckedRequest[] {
  return farDown(size).map((after) => list(size, { after }, pageAfter(after)))
}

/** Ids all over the table, in an order without a pattern. */
function gets(size: number): CheckedRequest[] {
  return Array.from({ length: 200 }, (_, index) => {
    const id = 1 + ((index * 7_919) % size)
    return { method: 'GET', path: `/v1/pets/${id}`, status: 200, responseBody: petJson(dataPet(id, size)) }
  })
}

/** Names of both kinds in turn. */
function creates(size: number): CheckedRequest[] {
  return Array.from({ length: 50 }, (_, index) => {
    const pet = dataPet(index % 2 === 0 ? index + 1 : size - index, size)
    return { method: 'POST', path: '/v1/pets', body: newPetJson(pet), status: 201 }
  })
}

/** 35% list, 50% get, 5% pages far down, 10% create, always in the same order. */
function mixed(target: Target): CheckedRequest[] {
  const kinds = { l: [list(target.size)], g: gets(target.size), p: pages(target), c: creates(target.size) }
  const order = Array.from('lglglgcglglgpglglgcg'.repeat(10)) as (keyof typeof kinds)[]
  return order.flatMap((kind, index) => kinds[kind].at(index % kinds[kind].length) ?? [])
}
