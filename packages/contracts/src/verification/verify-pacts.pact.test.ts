import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@pet-store/testing'
import { describe, expect, it } from 'vitest'
import { openAdapter } from '../providers/open-adapter.ts'
import { PACTS } from '../sources/pact-files.ts'
import { CONTRACT_API_KEY, PROVIDER, PROVIDER_STATES } from '../states/provider-states.ts'
import { verifyPacts } from './verify-pacts.ts'

/** An interaction as another team may write it by hand. */
interface Interaction {
  readonly description: string
  readonly providerStates?: readonly { readonly name: string; readonly params?: object }[]
  readonly request: object
  readonly response: object
}

const headers = { Authorization: `Bearer ${CONTRACT_API_KEY}` }
const LIST = { method: 'GET', path: '/pets', headers }

/** Verifies a contract of these interactions. */
async function verify(...interactions: readonly Interaction[]) {
  const file = join(await temporaryFolder(), 'kiosk.json')
  const metadata = { pactSpecification: { version: '3.0.0' } }
  const pact = { consumer: { name: 'kiosk' }, provider: { name: PROVIDER }, interactions, metadata }
  const text = JSON.stringify(pact, (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )
  writeFileSync(file, text.replaceAll(/"(\d+)n"/g, '$1'))
  return verifyPacts({ pactUrls: [file] }, openAdapter)
}

describe('verifyPacts', () => {
  it('verifyPacts compares integers beyond 2^53 to the last digit', async () => {
    const large = (description: string, id: bigint): Interaction => ({
      description,
      providerStates: [
        {
          name: PROVIDER_STATES.pet,
          params: { id: '9007199254740993', categoryId: '9223372036854775807' },
        },
      ],
      request: { ...LIST, path: '/pets/9007199254740993' },
      response: { status: 200, body: { id, categoryId: 9223372036854775807n } },
    })
    const { interactions } = await verify(
      large('a: exact', 9007199254740993n),
      large('b: rounded', 9007199254740992n),
      large('c: another', 9007199254740994n),
    )
    expect(interactions.map(({ result }) => result)).toEqual(['OK', 'Error', 'Error'])
  })

  const empty = {
    description: 'b: an empty list',
    request: LIST,
    response: { status: 200, body: [] },
  }

  it.each([
    [
      'an unknown state',
      [{ name: 'a dog exists' }],
      'There is no provider state "a dog exists". There are:\n  ' +
        `${Object.values(PROVIDER_STATES).join('\n  ')}`,
    ],
    [
      'invalid parameters of a state',
      [{ name: PROVIDER_STATES.pets, params: { count: 'many' } }],
      'The provider state "N pets exist" cannot be: count: must be an integer',
    ],
  ])(
    'verifyPacts fails for %s, says why, and that nothing was verified',
    async (_what, providerStates, reason) => {
      const { holds, problems, report } = await verify({ ...empty, providerStates })
      expect({ holds, problems }).toEqual({
        holds: false,
        problems: [expect.stringContaining(reason)],
      })
      expect(report).toContain(reason)
    },
  )

  it('verifyPacts begins each interaction without pets, after an unknown state too', async () => {
    const unknown = { name: 'a dog exists' }
    const known = { name: PROVIDER_STATES.pet }
    const states = [[unknown, known], [], [known, unknown], [], [known], []]
    const { interactions } = await verify(
      ...states.map((providerStates, index) => ({
        ...empty,
        description: `${index}`,
        providerStates,
      })),
    )
    expect(interactions.map(({ result }) => result)).toEqual([
      'Error',
      'OK',
      'Error',
      'OK',
      'Error',
      'OK',
    ])
  })

  it.each([
    ['does not open', () => Promise.reject(new Error('The disk is full.')), 'The disk is full.'],
    [
      'takes too long to open',
      () => new Promise<never>(() => {}),
      'The provider did not open within 0.01 s',
    ],
  ])(
    'verifyPacts fails when the provider %s, and says that nothing was verified',
    async (_what, open, reason) => {
      const pactUrls = [join(PACTS, 'kiosk-pet-store.json')]
      const { holds, problems } = await verifyPacts({ pactUrls }, open, 10)
      expect({ holds, problems }).toEqual({
        holds: false,
        problems: [expect.stringContaining(reason)],
      })
    },
  )

  it('verifyPacts sends the body of a request unchanged', async () => {
    const json = { 'Content-Type': 'application/json' }
    const { holds, report } = await verify({
      description: 'an incomplete body',
      request: { ...LIST, method: 'POST', headers: { ...headers, ...json }, body: '{"name":' },
      response: { status: 400, headers: json, body: { code: 'invalid_request', status: 400 } },
    })
    expect(holds, report).toBe(true)
  })
})
