import type { WireResponse } from '@pet-store/testing'

/** The target of the link to the next page; `undefined` on the last one. */
export function nextPathOf({ headers }: WireResponse, path: string): string | undefined {
  const next = /<([^>]+)>; rel="next"/.exec(headers['link'] ?? '')?.[1]
  return next && new URL(next, `http://localhost${path}`).href.slice('http://localhost'.length)
}
