import { Matchers } from '@pact-foundation/pact'
import { PROVIDER_STATES } from '../states/provider-states.ts'
import { addClientErrors, addKeyErrors } from '../testing/client-errors.test-support.ts'
import { addClientLists } from '../testing/client-lists.test-support.ts'
import {
  COLOURED_REX,
  creating,
  DEPRECATED,
  FOUND_REX,
  fetchWith,
  getting,
  listing,
  OTHER_API_KEY,
  REX,
  TOM,
  withoutStatus,
} from '../testing/client-requests.test-support.ts'
import { beginContract } from '../testing/contract.test-support.ts'

const { integer } = Matchers
const contract = beginContract('pet-store-client')
const { pet, pets, noSuchPet, creation } = PROVIDER_STATES

addClientLists(contract)

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

const ZOE = {
  name: ' Zo\u00ebe\u0308 & <b>"\\\'</b> \u{1F43E}\t',
  categoryId: -7,
  status: 'pending',
} as const
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
