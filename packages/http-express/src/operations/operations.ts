import { allowedWith } from '../checks/methods.ts'
import { allResponses } from '../description/responses.ts'
import { createPet } from './create-pet.ts'
import { getPet } from './get-pet.ts'
import { listPets } from './list-pets.ts'
import type { Operation } from './operation.ts'

/** Every operation. Of two paths that fit a request the first one counts. */
export const OPERATIONS: Readonly<Record<string, Operation>> = { listPets, createPet, getPet }

/** The path that all operations are below. */
export const BASE = '/v1'

const ALL: readonly Operation[] = Object.values(OPERATIONS)

/** The operations by the templates of their whole paths. */
export const OPERATIONS_BY_ROUTE: ReadonlyMap<string, readonly Operation[]> = new Map(
  ALL.map((one) => [routeOf(one), ALL.filter(({ path }) => path === one.path)]),
)

/** The methods that any operation has, for CORS and for the service as a whole. */
export const METHODS: string = allowedWith([...new Set(ALL.map(({ method }) => method))])

/** The operations as logs and metrics name them, with the statuses that they declare. */
export const DECLARED_ROUTES: readonly {
  readonly method: string
  readonly route: string
  readonly isDeprecated: boolean
  readonly statuses: readonly string[]
}[] = ALL.map((operation) => ({
  method: operation.method.toUpperCase(),
  route: routeOf(operation),
  isDeprecated: operation.sunset !== undefined,
  statuses: Object.keys(allResponses(operation)).filter((status) => status !== 'default'),
}))

function routeOf({ path }: Operation): string {
  return `${BASE}${path}`
}
