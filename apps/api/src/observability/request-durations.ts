import type { RequestEntry } from '@pet-store/http-express'
import { Durations, type MetricValue } from './durations.ts'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** How long requests took, by method, route and status. Whatever clients make up falls under one label. */
export class RequestDurations {
  /** By what was sent in three steps, so that noting one joins no strings. */
  readonly #routes = new Map<string, Map<string, Map<number, Durations>>>()

  note({ route = 'unknown', method = '', status, durationMs }: RequestEntry): void {
    const methods = entryOf(this.#routes, route, newMap)
    const statuses = entryOf(methods, METHODS.has(method) ? method : 'other', newMap)
    entryOf(statuses, status, newDurations).note(durationMs)
  }

  values(name: string): readonly MetricValue[] {
    return [...this.#routes].flatMap(([route, methods]) =>
      [...methods].flatMap(([method, statuses]) =>
        [...statuses].flatMap(([status, durations]) => durations.values(name, { method, route, status })),
      ),
    )
  }
}

const newMap = () => new Map()
const newDurations = () => new Durations()

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
