import { Matchers } from '@pact-foundation/pact'
import { PROVIDER_STATES } from '../states/provider-states.ts'
import { addClientErrors, addKeyErrors } from '../testing/client-errors.test-support.ts'
import {
  COLOURED_REX,
  CURSOR,
  creating,
  DEPRECATED,
  fetchWith,
  getting,
  LARGE_CURSOR,
  listing,
  OTHER_API_KEY,
  REX,
  STATUS_CURSOR,
} from '../testing/client-requests.test-support.ts'
import { asKnown, beginContract, fromState } from '../testing/contract.test-support.ts'

const { eachKeyMatches, integer, regex, string } = Matchers
const contract = beginContract('pet-store-client')
const { noPets, pet, pets, noSuchPet, creation } = PROVIDER_STATES

const FOUND_REX = { ...REX, categoryId: 7n }
const TOM = { name: 'Tom', categoryId: 8 }

/**
 * A pet that may have further fields, as always in Pact, but no `status`. Pact's patterns have no
 * negation.
 */
const withoutStatus = (fields: object) =>
  eachKeyMatches({ ...fields }, regex('^(?:[^s].*|.{0,5}|.{7,})$', 'id'))

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
  request: listing(undefined, { ...asKnown(), 'X-Request-Id': 'order 4711' }),
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
    body: Array.from({ length: 20 }, (_, index) => ({ id: index + 1, name: 'Rex', categoryId: 1 })),
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

contract.interaction('a new pet', {
  request: creating('add-rex', REX),
  response: { status: 201, headers: { Location: 'pets/1' }, body: { id: 1, ...REX } },
  call: (client) => client.createPet({ ...REX }, { idempotencyKey: 'add-rex' }),
  returns: { id: 1n, ...FOUND_REX },
})

contract.interaction('a new pet with an unknown field, which is ignored', {
  request: creating('add-rex', COLOURED_REX),
  response: { status: 201, body: { id: 1, ...REX } },
  fetch: fetchWith({}, '', COLOURED_REX),
  call: (client) => client.createPet({ ...REX }, { idempotencyKey: 'add-rex' }),
  returns: { id: 1n, ...FOUND_REX },
})

contract.interaction('a new pet without a status', {
  request: creating('add-tom', TOM),
  response: { status: 201, body: withoutStatus({ id: integer(1), ...TOM }) },
  call: (client) => client.createPet(TOM, { idempotencyKey: 'add-tom' }),
  returns: { id: 1n, name: 'Tom', categoryId: 8n },
})

for (const categoryId of [9223372036854775807n, -9223372036854775808n]) {
  contract.interaction(`a new pet with the categoryId ${categoryId}`, {
    request: creating('add-large', `{"name":"Rex","categoryId":${categoryId}}`),
    response: { status: 201, body: `{"id":1,"name":"Rex","categoryId":${categoryId}}` },
    call: (client) =>
      client.createPet({ name: 'Rex', categoryId }, { idempotencyKey: 'add-large' }),
    returns: { id: 1n, name: 'Rex', categoryId },
  })
}

contract.interaction('a new pet that was created already with the same idempotency key', {
  given: [
    [pets, { count: 4 }],
    [creation, { idempotencyKey: 'rex-once', ...REX }],
    [noSuchPet, { id: 6 }],
  ],
  request: creating('rex-once', REX),
  response: {
    status: 201,
    headers: { Location: 'pets/5', 'Idempotency-Replayed': 'true' },
    body: { id: 5, ...REX },
  },
  call: (client) => client.createPet({ ...REX }, { idempotencyKey: 'rex-once' }),
  returns: { id: 5n, ...FOUND_REX },
})

for (const [what, parameters, idempotencyKey] of [
  ['equal to one that was created with another idempotency key', {}, 'rex-twice'],
  ['with an idempotency key that another API key has used', { apiKey: OTHER_API_KEY }, 'rex-once'],
] as const) {
  contract.interaction(`a new pet ${what}`, {
    given: [[creation, { idempotencyKey: 'rex-once', ...REX, ...parameters }]],
    request: creating(idempotencyKey, REX),
    response: { status: 201, headers: { Location: 'pets/2' }, body: { id: 2, ...REX } },
    call: (client) => client.createPet({ ...REX }, { idempotencyKey }),
    returns: { id: 2n, ...FOUND_REX },
  })
}

const ZOE = { name: ' Zo\u00ebe\u0308 \u{1F43E}\t', categoryId: -7, status: 'pending' } as const
contract.interaction('a new pet with an unusual name', {
  request: creating('add-zoe', ZOE),
  response: { status: 201, body: { id: integer(1), ...ZOE } },
  call: (client) => client.createPet(ZOE, { idempotencyKey: 'add-zoe' }),
  returns: { id: 1n, ...ZOE, categoryId: -7n },
})

contract.interaction('one pet', {
  given: [[pet, { id: 42, ...REX }]],
  request: getting('42'),
  response: { status: 200, headers: DEPRECATED, body: { id: 42, ...REX } },
  call: (client) => client.getPet(42),
  returns: { id: 42n, ...FOUND_REX },
})

contract.interaction('one pet with the greatest id', {
  given: [[pet, { id: '9223372036854775807' }]],
  request: getting('9223372036854775807'),
  response: { status: 200, body: '{"id":9223372036854775807,"name":"Rex","categoryId":1}' },
  call: (client) => client.getPet(9223372036854775807n),
  returns: { id: 9223372036854775807n, name: 'Rex', categoryId: 1n },
})

contract.interaction('one pet with integers beyond 2^53', {
  given: [[pet, { id: '9007199254740993', categoryId: '-9007199254740993' }]],
  request: getting('9007199254740993'),
  response: {
    status: 200,
    body: '{"id":9007199254740993,"name":"Rex","categoryId":-9007199254740993}',
  },
  call: (client) => client.getPet(9007199254740993n),
  returns: { id: 9007199254740993n, name: 'Rex', categoryId: -9007199254740993n },
})

addClientErrors(contract)
addKeyErrors(contract, 'listPets', listing(), (client) => client.listPets())
addKeyErrors(contract, 'createPet', creating('rejected', REX), (client) =>
  client.createPet({ ...REX }, { idempotencyKey: 'rejected' }),
)
addKeyErrors(contract, 'getPet', getting('1'), (client) => client.getPet(1))
contract.expectCommitted()
