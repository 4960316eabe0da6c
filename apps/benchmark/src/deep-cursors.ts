import { API_KEY } from './api-key.ts'
import { ask } from './ask.ts'
import { WALK } from './operations.ts'

/** Walks to the end of the list by its links, as a client does, and notes the cursors behind some places. */
export async function deepCursors(port: number, places: readonly number[]): Promise<Map<number, string>> {
  const wanted = new Set(places)
  const cursors = new Map<number, string>()
  let path = `/v1/pets?limit=${WALK}`
  for (let place = WALK; cursors.size < wanted.size; place += WALK) {
    const { headers } = await ask(port, { method: 'GET', path }, API_KEY)
    const query = /<(\?[^>]+)>; rel="next"/.exec(String(headers['link']))?.[1]
    if (query === undefined) throw new Error(`The list ends before the pet ${place}.`)
    path = `/v1/pets${query}`
    if (wanted.has(place)) cursors.set(place, new URLSearchParams(query).get('cursor') ?? '')
  }
  return cursors
}
