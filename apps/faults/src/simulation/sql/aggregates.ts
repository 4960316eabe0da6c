import type { Item } from './syntax.ts'

/** The functions that calculate one value from many rows. */
export const AGGREGATES: ReadonlySet<string> = new Set(['count', 'max', 'min'])

/** Whether an item of a select is calculated from all of its rows. */
export function isAggregate(
  value: Item['value'],
): value is Extract<Item['value'], { readonly kind: 'call' }> {
  return value !== 'all' && value.kind === 'call' && AGGREGATES.has(value.name)
}
