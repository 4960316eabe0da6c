import type { PetRequest } from './ask.ts'
import type { Contestant } from './contestant.ts'
import { dataPage, dataPet, petJson, petsJson } from './data-set.ts'

/** A request, and how its answer must look; the body where it is the same each time. */
export interface Question extends PetRequest {
  readonly status: number
  readonly answer?: string
}

/** What is measured. */
export interface Operation {
  readonly id: string
  readonly title: string
  /** The share of the warm-up: 1 where code runs for the first time, less where it is warm from another operation. */
  readonly warmUp: number
  questions(target: Target): Question[]
}

/** Whom the questions are for. */
export interface Target {
  readonly paging: Contestant['paging']
  /** How many pets there are to begin with. */
  readonly size: number
  /** The cursor behind each of `deepPlaces`, for those that page by cursors. */
  readonly cursors: ReadonlyMap<number, string>
}

const PAGE = 20

/** Ids near the end, behind each of which a page is asked for; multiples of the page by which cursors are looked for. */
export function deepPlaces(size: number): number[] {
  return [0.9, 0.92, 0.94, 0.96, 0.98].map((part) => Math.floor((size * part) / WALK) * WALK)
}

/** How many pets a step of the walk to the deep pages takes. */
export const WALK = 100

export const OPERATIONS: readonly Operation[] = [
  { id: 'list', title: 'List 20', warmUp: 1, questions: ({ size }) => [list(size)] },
  { id: 'list-100', title: 'List 100 with a status', warmUp: 0.3, questions: ({ size }) => [filtered(size)] },
  { id: 'deep-page', title: 'A page near the end', warmUp: 0.3, questions: deepPages },
  { id: 'get', title: 'Get one', warmUp: 1, questions: ({ size }) => gets(size) },
  { id: 'create', title: 'Create', warmUp: 1, questions: creates },
  { id: 'mixed', title: 'Mixed: 35% list, 50% get, 5% deep, 10% create', warmUp: 0.1, questions: mixed },
]

function list(size: number): Question {
  return get(`/v1/pets?limit=${PAGE}`, petsJson(dataPage(size, PAGE)))
}

function filtered(size: number): Question {
  return get('/v1/pets?limit=100&status=available', petsJson(dataPage(size, 100, { status: 'available' })))
}

function deepPages({ paging, size, cursors }: Target): Question[] {
  return deepPlaces(size).map((after) => {
    const place = paging === 'after' ? `after=${after}` : `cursor=${cursors.get(after)}`
    return get(`/v1/pets?limit=${PAGE}&${place}`, petsJson(dataPage(size, PAGE, { after })))
  })
}

/** Ids all over the table, in an order without a pattern. */
function gets(size: number): Question[] {
  return Array.from({ length: 200 }, (_, index) => {
    const id = 1 + ((index * 7_919) % size)
    return get(`/v1/pets/${id}`, petJson(dataPet(id, size)))
  })
}

/** Bodies as the data set would go on. */
function creates({ size }: Target): Question[] {
  return Array.from({ length: 50 }, (_, index) => {
    const { id: _id, ...pet } = dataPet(size + index + 1, size + 1_000)
    return { method: 'POST', path: '/v1/pets', body: withoutNulls(pet), status: 201 }
  })
}

/** What a busy day might look like, always in the same order. */
function mixed(target: Target): Question[] {
  const kinds = { l: [list(target.size)], g: gets(target.size), d: deepPages(target), c: creates(target) }
  const order = Array.from('lglglgcglglgdglglgcg') as (keyof typeof kinds)[]
  return Array.from({ length: 10 }, () => order)
    .flat()
    .flatMap((kind, index) => kinds[kind].at(index % kinds[kind].length) ?? [])
}

function get(path: string, answer: string): Question {
  return { method: 'GET', path, status: 200, answer }
}

function withoutNulls(pet: object): string {
  return JSON.stringify(pet, (_key, value: unknown) => value ?? undefined)
}
