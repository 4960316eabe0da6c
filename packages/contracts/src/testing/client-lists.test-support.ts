import { Matchers } from '@pact-foundation/pact'
import { PROVIDER_STATES } from '../states/provider-states.ts'
import {
  CURSOR,
  FOUND_REX,
  fetchWith,
  LARGE_CURSOR,
  listing,
  REX,
  STATUS_CURSOR,
  TOM,
  withoutStatus,
} from './client-requests.test-support.ts'
import { type Contract, clientHeaders, fromState } from './contract.test-support.ts'

const { integer, regex, string } = Matchers
const { noPets, pet, pets } = PROVIDER_STATES

/** Adds the lists of pets, and their pages, to the contract of the client. */
export function addClientLists(contract: Contract): void {
  contract.interaction('a list of two pets, one of them without a status', {
    given: [
      [pet, { id: 1, ...REX }],
      [pet, { id: 2, ...TOM }],
    ],
    request: listing(),
    response: {
      status: 200,
      headers: {
        'RateLimit-Policy': '"default";q=20;w=3600',
        RateLimit: regex('^"default";r=19;t=\\d+$', '"default";r=19;t=60'),
      },
      body: [{ id: 1, ...REX }, withoutStatus({ id: 2, ...TOM })],
    },
    call: (client) => client.listPets(),
    returns: {
      pets: [
        { id: 1n, ...FOUND_REX },
        { id: 2n, name: 'Tom', categoryId: 8n },
      ],
    },
  })

  contract.interaction('a list of no pets', {
    given: [[noPets]],
    request: listing(),
    response: { status: 200, body: [] },
    call: (client) => client.listPets(),
    returns: { pets: [] },
  })

  contract.interaction('a list of the available pets', {
    given: [
      [pet, { id: 1, ...TOM }],
      [pet, { id: 2, name: 'Ada', categoryId: 8, status: 'sold' }],
      [pet, { id: 3, ...REX }],
    ],
    request: listing({ status: 'available' }),
    response: { status: 200, body: [{ id: 3, ...REX }] },
    call: (client) => client.listPets({ status: 'available' }),
    returns: { pets: [{ id: 3n, ...FOUND_REX }] },
  })

  contract.interaction('a list with a request id', {
    request: listing(undefined, { ...clientHeaders(), 'X-Request-Id': 'order 4711' }),
    response: { status: 200, headers: { 'X-Request-Id': 'order 4711' }, body: [] },
    fetch: fetchWith({ 'X-Request-Id': 'order 4711' }),
    call: (client) => client.listPets(),
    returns: { pets: [] },
  })

  contract.interaction('a list with an unknown parameter, which is ignored', {
    request: listing({ fields: 'name' }),
    response: { status: 200, body: [] },
    fetch: fetchWith({}, '?fields=name'),
    call: (client) => client.listPets(),
    returns: { pets: [] },
  })

  contract.interaction('a list without a limit, of more pets than fit on a page', {
    given: [[pets, { count: 21 }]],
    request: listing(),
    response: {
      status: 200,
      headers: {
        Link: regex(
          '^<\\?limit=20&cursor=[\\w-]+>; rel="next"$',
          `<?limit=20&cursor=${CURSOR}>; rel="next"`,
        ),
      },
      body: Array.from({ length: 20 }, (_, index) => ({
        id: index + 1,
        name: 'Rex',
        categoryId: 1,
      })),
    },
    call: (client) => client.listPets().then(({ pets: found, next }) => [found.length, next]),
    returns: [20, { limit: 20, cursor: CURSOR }],
  })

  contract.interaction('a list with a limit of 100', {
    given: [[pets, { count: 101 }]],
    request: listing({ limit: '100' }),
    response: {
      status: 200,
      headers: {
        Link: regex(
          '^<\\?limit=100&cursor=[\\w-]+>; rel="next"$',
          `<?limit=100&cursor=${CURSOR}>; rel="next"`,
        ),
      },
      // The contract has one pet; the matcher says how many there are.
      body: {
        'pact:matcher:type': 'type',
        min: 100,
        max: 100,
        value: [{ id: integer(1), name: string('Rex'), categoryId: integer(1) }],
      },
    },
    call: (client) => client.listPets({ limit: 100 }).then(({ next }) => next),
    returns: { limit: 100, cursor: CURSOR },
  })

  for (const { what, filter, parameters, ids, returned, cursor } of [
    {
      what: 'pets with ids beyond 2^53',
      filter: {},
      parameters: { firstId: '9007199254740992' },
      ids: [9007199254740992n, 9007199254740993n, 9007199254740994n],
      returned: 'cursor',
      cursor: LARGE_CURSOR,
    },
    {
      what: 'available pets',
      filter: { status: 'available' },
      parameters: { status: 'available' },
      ids: [1n, 2n, 3n],
      returned: 'statusCursor',
      cursor: STATUS_CURSOR,
    },
  ] as const) {
    const given = [[pets, { count: 3, limit: 2, ...parameters }]] as const
    const query = new URLSearchParams({ limit: '2', ...filter, cursor })
    const found = (...some: readonly bigint[]) =>
      some.map((id) => ({ id, name: 'Rex', categoryId: 1n, ...filter }))
    const status = 'status' in filter ? ',"status":"available"' : ''
    const body = (...some: readonly bigint[]) =>
      `[${some.map((id) => `{"id":${id},"name":"Rex","categoryId":1${status}}`)}]`

    contract.interaction(`the first page of ${what}`, {
      given,
      request: listing({ limit: '2', ...filter }),
      response: {
        status: 200,
        headers: { Link: `<?${query}>; rel="next"` },
        body: body(ids[0], ids[1]),
      },
      call: (client) => client.listPets({ limit: 2, ...filter }),
      returns: { pets: found(ids[0], ids[1]), next: { limit: 2, ...filter, cursor } },
    })
    contract.interaction(`the last page of ${what}, by the cursor of the first`, {
      given,
      request: listing({ limit: '2', ...filter, cursor: fromState(returned, cursor) }),
      response: { status: 200, body: body(ids[2]) },
      call: (client) => client.listPets({ limit: 2, ...filter, cursor }),
      returns: { pets: found(ids[2]) },
    })
  }
}
