import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openAdapter } from './providers/open-adapter.ts'
import { PACTS, readPactFiles } from './sources/pact-files.ts'
import { CONTRACT_API_KEY, PROVIDER, PROVIDER_STATES } from './states/provider-states.ts'
import { verifyPacts } from './verification/verify-pacts.ts'

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
function verify(...interactions: readonly Interaction[]) {
  const folder = mkdtempSync(join(tmpdir(), 'pact-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'kiosk.json')
  const metadata = { pactSpecification: { version: '3.0.0' } }
  const pact = { consumer: { name: 'kiosk' }, provider: { name: PROVIDER }, interactions, metadata }
  const text = JSON.stringify(pact, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
  writeFileSync(file, text.replaceAll(/"(\d+)n"/g, '$1'))
  return verifyPacts({ pactUrls: [file] }, openAdapter)
}

describe('the HTTP adapter over the memory repositories', () => {
  it('the HTTP adapter fulfils every committed contract', async () => {
    const pacts = readPactFiles([PACTS])
    const { holds, interactions, report } = await verifyPacts({ pactUrls: pacts.map(({ path }) => path) }, openAdapter)
    expect(holds, report).toBe(true)
    expect(interactions).toHaveLength(pacts.reduce((sum, pact) => sum + pact.interactions, 0))
  })

  it('integers beyond 2^53 are compared to the last digit', async () => {
    const large = (description: string, id: bigint): Interaction => ({
      description,
      providerStates: [
        { name: PROVIDER_STATES.pet, params: { id: '9007199254740993', categoryId: '9223372036854775807' } },
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
})

describe('verifyPacts', () => {
  const empty = { description: 'b: an empty list', request: LIST, response: { status: 200, body: [] } }

  it('fails for an unknown state, and lists the known ones', async () => {
    const { holds, report } = await verify({ ...empty, providerStates: [{ name: 'a dog exists' }] })
    expect(holds).toBe(false)
    expect(report).toContain('There is no provider state "a dog exists". There are:\n  no pets exist\n')
    for (const state of Object.values(PROVIDER_STATES)) expect(report).toContain(`\n  ${state}`)
  })

  it('fails for invalid parameters of a state, and says why', async () => {
    const { holds, report } = await verify({
      ...empty,
      providerStates: [{ name: PROVIDER_STATES.pets, params: { count: 'many' } }],
    })
    expect(holds).toBe(false)
    expect(report).toContain('The provider state "N pets exist" cannot be: the parameter count is invalid: "many".')
  })

  it.each([
    ['before', [{ name: 'a dog exists' }, { name: PROVIDER_STATES.pet }]],
    ['after', [{ name: PROVIDER_STATES.pet }, { name: 'a dog exists' }]],
  ])(
    'discards the states of an interaction that has an unknown state %s a known one',
    async (_when, providerStates) => {
      const { interactions } = await verify(
        { ...empty, description: 'a: with an unknown state', providerStates },
        empty,
      )
      expect(interactions.map(({ result }) => result)).toEqual(['Error', 'OK'])
    },
  )

  it('fails when the provider does not open', async () => {
    const { holds, report } = await verifyPacts({ pactUrls: readPactFiles([PACTS]).map(({ path }) => path) }, () =>
      Promise.reject(new Error('The disk is full.')),
    )
    expect(holds).toBe(false)
    expect(report).toContain('The disk is full.')
  })

  it('begins every interaction without pets', async () => {
    const one = {
      ...empty,
      providerStates: [{ name: PROVIDER_STATES.pet }],
      response: { status: 200, body: [{ id: 1 }] },
    }
    const { holds, report } = await verify({ ...one, description: 'a: one pet' }, empty, {
      ...one,
      description: 'c: one',
    })
    expect(holds, report).toBe(true)
  })

  it('sends the body of a request unchanged', async () => {
    const broken = {
      ...LIST,
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: '{"name":',
    }
    const { holds, report } = await verify({
      description: 'an incomplete body',
      request: broken,
      response: {
        status: 400,
        headers: { 'Content-Type': 'application/json' },
        body: { code: 'invalid_request', status: 400 },
      },
    })
    expect(holds, report).toBe(true)
  })
})
