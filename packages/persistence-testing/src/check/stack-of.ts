import { inspect } from 'node:util'

/** The files of this package, what calls a module for it, and what runs both. */
const OWN = [
  'node:internal/',
  new URL('..', import.meta.url).href,
  '/@pet-store/persistence/dist/persistence-module.',
]

/** What a developer sees of an error, who looks for lines of the adapter or of the harness. */
export function stackOf(error: unknown): string {
  return inspect(error)
    .split('\n')
    .filter((line) => !OWN.some((own) => line.includes(own)))
    .join('\n')
}
