import type { ListPetsQuery, PetStatus } from '@pet-store/client'
import { STATUS_TITLES } from '../fields/pet-fields.ts'

/** A page of the list, with everything that its URL says. */
export interface ListPage {
  readonly status: PetStatus | undefined
  readonly limit: number
  readonly cursor: string | undefined
  /** The number of its first row, which is in the URL. */
  readonly from: number
  /** The pages before this one; empty if the page was opened by a link. */
  readonly earlier: readonly Pick<ListPage, 'cursor' | 'from'>[]
}

const LIMITS: readonly number[] = [20, 50, 100]

/** The first page with this filter. */
export function firstPage(status: string, limit: string): ListPage {
  return {
    status: status in STATUS_TITLES ? (status as PetStatus) : undefined,
    limit: LIMITS.find((one) => String(one) === limit) ?? 20,
    cursor: undefined,
    from: 1,
    earlier: [],
  }
}

export function pageAfter(page: ListPage, cursor: string | undefined): ListPage {
  const { from, limit, earlier } = page
  const here = { cursor: page.cursor, from }
  return { ...page, cursor, from: from + limit, earlier: [...earlier, here] }
}

export function pageBefore(page: ListPage): ListPage {
  return { ...page, ...page.earlier.at(-1), earlier: page.earlier.slice(0, -1) }
}

/** The page that the URL names, with the default for each invalid part. */
export function pageOfUrl(): ListPage {
  const query = new URLSearchParams(location.search)
  const first = firstPage(query.get('status') ?? '', query.get('limit') ?? '')
  const cursor = query.get('cursor')
  if (!cursor) return first
  const from = Number(/^[1-9]\d{0,14}$/.exec(query.get('from') ?? '')?.[0] ?? 1)
  const state = history.state as Pick<ListPage, 'earlier'> | null
  return { ...first, cursor, from, earlier: state?.earlier ?? [] }
}

/**
 * The id of the pet that the URL names; `undefined` if it names none, or by a text that is no id.
 */
export function petOfUrl(): string | undefined {
  const id = new URLSearchParams(location.search).get('pet') ?? ''
  return isPetId(id) ? id : undefined
}

/** Whether a text can be the id of a pet: an integer of a reasonable length. */
export function isPetId(text: string): boolean {
  return /^-?[0-9]{1,100}$/.test(text)
}

/** The URL of a page, and of a pet that is shown beside it. Defaults are left out. */
export function addressOf({ status, limit, cursor, from }: ListPage, pet?: string): string {
  const search = new URLSearchParams()
  if (status !== undefined) search.set('status', status)
  if (limit !== 20) search.set('limit', String(limit))
  if (cursor !== undefined) search.set('cursor', cursor)
  if (from !== 1) search.set('from', String(from))
  if (pet !== undefined) search.set('pet', pet)
  return search.size === 0 ? location.pathname : `?${search}`
}

/** The query that lists a page. */
export function queryOf({ limit, status, cursor }: ListPage): ListPetsQuery {
  return { limit, status, cursor }
}
