import { Agent } from 'node:http'
import { ASCII_STATUS, dataPage, dataPet, newPetJson, OTHER_STATUS, petJson, petsJson } from './data-set.ts'
import { API_KEY, type CheckedRequest, send } from './request.ts'

/** What is measured. */
export interface Operation {
  readonly id: string
  readonly title: string
  /** The share of the warm-up: 1 where code runs for the first time, less where another operation has warmed it up. */
  readonly warmUp: number
  /** False where only our service and the bare servers are measured, to show what names beyond ASCII cost. */
  readonly isForAll: boolean
  requests(target: Target): CheckedRequest[]
}

/** What requests depend on. */
export interface Target {
  /** How many pets there are to begin with. */
  readonly size: number
  /** The query parameter that asks for the page after an id. */
  pageAfter(id: number): string
}

const PAGE = 20
const ASCII_PLACES = [0.7, 0.72, 0.74, 0.76, 0.78]
const OTHER_PLACES = [0.9, 0.92, 0.94, 0.96, 0.98]

/** Pets on each page of the walk that collects cursors. */
const WALK = 100

/** What the latency is measured with. */
export const MIXED = operation('mixed', 'Mixed', 0.1, mixed)

export const OPERATIONS: readonly Operation[] = [
  operation('list', 'List 20', 1, ({ size }) => [list(size)]),
  operation('page', 'A page far down', 0.1, (target) => pages(target, ASCII_PLACES)),
  { ...operation('page-names', 'A page far down, non-ASCII', 0.1, (t) => pages(t, OTHER_PLACES)), isForAll: false },
  operation('list-100', 'List 100 with a status', 0.1, ({ size }) => [list100(size, ASCII_STATUS)]),
  {
    ...operation('list-100-names', 'List 100 with a status, non-ASCII', 0.1, ({ size }) => [
      list100(size, OTHER_STATUS),
    ]),
    isForAll: false,
  },
  operation('get', 'Get one', 1, ({ size }) => gets(size)),
  operation('create', 'Create', 1, creates),
  MIXED,
]

function operation(id: string, title: string, warmUp: number, requests: Operation['requests']): Operation {
  return { id, title, warmUp, isForAll: true, requests }
}

/** A target whose pages are asked for by id. */
export function targetById(size: number): Target {
  return { size, pageAfter: (id) => `after=${id}` }
}

/** A target whose pages are asked for by cursor. Collects the cursors on a walk through the list, as a client does. */
export async function targetByCursor(port: number, size: number, ids = places(size)): Promise<Target> {
  const cursors = new Map<number, string>()
  // A walk to the end of a large table takes thousands of requests.
  const agent = new Agent({ keepAlive: true })
  let path = `/v1/pets?limit=${WALK}`
  for (let id = WALK; cursors.size < ids.length; id += WALK) {
    const { headers } = await send(port, { method: 'GET', path }, API_KEY, agent)
    const query = /<(\?[^>]+)>; rel="next"/.exec(String(headers['link']))?.[1]
    if (query === undefined) throw new Error(`The list ends before pet ${id}.`)
    path = `/v1/pets${query}`
    if (ids.includes(id)) cursors.set(id, new URLSearchParams(query).get('cursor') ?? '')
  }
  agent.destroy()
  return { size, pageAfter: (id) => `cursor=${cursors.get(id)}` }
}

/** The last id that a page of `targetByCursor` can follow. */
export function lastPlace(size: number): number {
  return size - WALK
}

function places(size: number): number[] {
  return [...new Set([...ASCII_PLACES, ...OTHER_PLACES].map((part) => placeAt(part, size)))]
}

function placeAt(part: number, size: number): number {
  return Math.floor((size * part) / WALK) * WALK
}

function list(size: number): CheckedRequest {
  return get(`/v1/pets?limit=${PAGE}`, petsJson(dataPage(size, PAGE)))
}

function list100(size: number, status: string): CheckedRequest {
  return get(`/v1/pets?limit=100&status=${status}`, petsJson(dataPage(size, 100, { status })))
}

function pages({ size, pageAfter }: Target, parts: readonly number[]): CheckedRequest[] {
  return parts.map((part) => {
    const after = placeAt(part, size)
    return get(`/v1/pets?limit=${PAGE}&${pageAfter(after)}`, petsJson(dataPage(size, PAGE, { after })))
  })
}

/** Ids all over the table, in an order without a pattern. */
function gets(size: number): CheckedRequest[] {
  return Array.from({ length: 200 }, (_, index) => {
    const id = 1 + ((index * 7_919) % size)
    return get(`/v1/pets/${id}`, petJson(dataPet(id, size)))
  })
}

/** Names of both kinds in turn. */
function creates({ size }: Target): CheckedRequest[] {
  return Array.from({ length: 50 }, (_, index) => {
    const pet = dataPet(index % 2 === 0 ? index + 1 : size - index, size)
    return { method: 'POST', path: '/v1/pets', body: newPetJson(pet), status: 201 }
  })
}

/** 35% list, 50% get, 5% pages far down, 10% create, always in the same order. */
function mixed(target: Target): CheckedRequest[] {
  const kinds = { l: [list(target.size)], g: gets(target.size), p: pages(target, ASCII_PLACES), c: creates(target) }
  const order = Array.from('lglglgcglglgpglglgcg') as (keyof typeof kinds)[]
  return Array.from({ length: 10 }, () => order)
    .flat()
    .flatMap((kind, index) => kinds[kind].at(index % kinds[kind].length) ?? [])
}

function get(path: string, responseBody: string): CheckedRequest {
  return { method: 'GET', path, status: 200, responseBody }
}
