import type { ListPetsQuery, PetStatus } from '@pet-store/client'
import { STATUS_TITLES } from '../fields/pet-fields.ts'

/** A page of the list, as the URL has it. */
export interface ListPage {
  readonly status: PetStatus | undefined
  readonly limit: number
  readonly cursor: string | undefined
  /** The number of its first row; known only to who came there page by page. */
  readonly from: number
  /** The pages before this one; unknown where somebody else's link was followed. */
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

/** The page that the URL names; what is invalid in it has its default. */
export function pageOfUrl(): ListPage {
  const query = new URLSearchParams(location.search)
  const first = firstPage(query.get('status') ?? '', query.get('limit') ?? '')
  const cursor = query.get('cursor')
  if (!cursor) return first
  const from = Number(/^[1-9]\d{0,14}$/.exec(query.get('from') ?? '')?.[0] ?? 1)
  const state = history.state as Pick<ListPage, 'earlier'> | null
  return { ...first, cursor, from, earlier: state?.earlier ?? [] }
}

/** The id of the pet that the URL names. */
export function petOfUrl(): string | undefined {
  return new URLSearchParams(location.search).get('pet') ?? undefined
}

/** The URL of a page, and of a pet that is shown beside it: what differs from the default. */
export function addressOf({ status, limit, cursor, from }: ListPage, pet?: string): string {
  const search = new URLSearchParams()
  if (status !== undefined) search.set('status', status)
  if (limit !== 20) search.set('limit', String(limit))
  if (cursor !== undefined) search.set('cursor', cursor)
  if (from !== 1) search.set('from', String(from))
  if (pet !== undefined) search.set('pet', pet)
  return search.size === 0 ? location.pathname : `?${search}`
}

/** What the service is asked for. */
export function queryOf({ limit, status, cursor }: ListPage): ListPetsQuery {
  return { limit, status, cursor }
}
