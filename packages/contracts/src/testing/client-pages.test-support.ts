import { Matchers } from '@pact-foundation/pact'
import { describe, expect, it } from 'vitest'
import { PROVIDER_STATES } from '../states/provider-states.ts'
import { CURSOR, LARGE_CURSOR, listing } from './client-requests.test-support.ts'
import { type Contract, clientOf, fromState } from './contract.test-support.ts'

const { integer, regex, string } = Matchers
const { pets } = PROVIDER_STATES

/** The pages of lists in the contract of the client. They are part of client.pact.test.ts, which writes one pact file. */
export function describeClientPages(contract: Contract): void {
  describe('listPets', () => {
    it('returns twenty pets without a limit, and a link to the next page', () =>
      contract.interaction(
        'a list without a limit, of more pets than fit on a page',
        {
          given: [[pets, { count: 21 }]],
          request: listing(),
          response: {
            status: 200,
            headers: {
              Link: regex('^<\\?limit=20&cursor=[\\w-]+>; rel="next"$', `<?limit=20&cursor=${CURSOR}>; rel="next"`),
            },
            body: Array.from({ length: 20 }, (_, index) => ({ id: index + 1, name: 'Rex', categoryId: 1 })),
          },
        },
        async (service) => {
          const { pets: found, next } = await clientOf(service).listPets()
          expect(found).toHaveLength(20)
          expect(next).toEqual({ limit: 20, cursor: CURSOR })
        },
      ))

    it('returns a hundred pets with the greatest limit', async () => {
      const example = { id: integer(1), name: string('Rex'), categoryId: integer(1) }
      const link = regex('^<\\?limit=100&cursor=[\\w-]+>; rel="next"$', `<?limit=100&cursor=${CURSOR}>; rel="next"`)
      await contract.interaction(
        'a list with a limit of 100',
        {
          given: [[pets, { count: 101 }]],
          request: listing({ limit: '100' }),
          // The contract has one pet; the matcher says how many there are.
          response: {
            status: 200,
            headers: { Link: link },
            body: { 'pact:matcher:type': 'type', min: 100, max: 100, value: [example] },
          },
        },
        async (service) => {
          const { next } = await clientOf(service).listPets({ limit: 100 })
          expect(next).toEqual({ limit: 100, cursor: CURSOR })
        },
      )
    })

    it('follows the given link past integers beyond 2^53, without a pet lost or repeated', async () => {
      const given = [[pets, { count: 3, firstId: '9007199254740992', limit: 2 }]] as const
      const page = (...ids: bigint[]) => `[${ids.map((id) => `{"id":${id},"name":"Rex","categoryId":1}`)}]`
      await contract.interaction(
        'the first page of pets with ids beyond 2^53',
        {
          given,
          request: listing({ limit: '2' }),
          response: {
            status: 200,
            headers: { Link: `<?limit=2&cursor=${LARGE_CURSOR}>; rel="next"` },
            body: page(9007199254740992n, 9007199254740993n),
          },
        },
        async (service) => {
          const { pets: found, next } = await clientOf(service).listPets({ limit: 2 })
          expect(found.map(({ id }) => id)).toEqual([9007199254740992n, 9007199254740993n])
          expect(next).toEqual({ limit: 2, cursor: LARGE_CURSOR })
        },
      )
      await contract.interaction(
        'the last page of pets with ids beyond 2^53, by the cursor of the first',
        {
          given,
          request: listing({ limit: '2', cursor: fromState('cursor', LARGE_CURSOR) }),
          response: { status: 200, body: page(9007199254740994n) },
        },
        async (service) => {
          const { pets: found, next } = await clientOf(service).listPets({ limit: 2, cursor: LARGE_CURSOR })
          expect(found.map(({ id }) => id)).toEqual([9007199254740994n])
          expect(next).toBeUndefined()
        },
      )
    })
  })
}
