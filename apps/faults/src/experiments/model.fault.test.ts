import type { WireResponse } from '@pet-store/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { emptyDatabase, KINDS } from '../harness/database.ts'
import { report, SEED, size } from '../harness/experiment.ts'
import { idIn } from '../harness/ledger.ts'
import { listAllPets } from '../harness/list-all-pets.ts'
import { Service } from '../harness/service.ts'
import { commands, type Model, normalised, petJson, petText } from './model.ts'

const RUNS = size(1, 20)
const COMMANDS = size(15, 120)

async function startOn(environment: Record<string, string>): Promise<Service> {
  // A revoked key is to be invalid at once.
  const settings = { ...environment, API_KEY_CACHE_SECONDS: '0' }
  return Service.start({ databaseUrl: environment['DATABASE_URL'] ?? '', settings })
}

it.each(KINDS)(
  'the service does what the model does, one command after the other, on %s',
  async (kind) => {
    let ran = 0
    const property = fc.asyncProperty(commands(COMMANDS), async (sequence) => {
      const environment = { DATABASE_URL: await emptyDatabase(kind) }
      const service = await startOn(environment)
      const model: Model = {
        pets: [],
        idempotencyKeys: new Map(),
        keys: [{ text: service.key, isValid: true }],
      }
      await fc.asyncModelRun(() => ({ model, real: { service, environment } }), sequence)
      ran += 1
      expect(await listAllPets(service)).toEqual(model.pets.map(({ id, name }) => ({ id, name })))
      await service.end('SIGTERM')
    })
    await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true })
    report(`model on ${kind}`, { seed: SEED, runs: ran, commands: COMMANDS })
  },
)

it.each(KINDS)('the service does what the model allows, many at once, on %s', async (kind) => {
  const environment = { DATABASE_URL: await emptyDatabase(kind) }
  const service = await startOn(environment)
  const requests = size(100, 3_000)
  const clients = 16
  const [pets = []] = fc.sample(
    fc.array(petText, { minLength: requests, maxLength: requests, size: 'max' }),
    {
      numRuns: 1,
      seed: SEED,
    },
  )
  const acknowledged = new Map<string, string>()
  const idsByKey = new Map<string, Set<string>>()
  let lists = 0

  async function create(number: number): Promise<void> {
    const pet = pets[number]
    if (pet === undefined) return
    // Half of the requests share a few idempotency keys, with equal and with other content.
    const key = number % 2 === 0 ? `key-${number % 24}` : undefined
    const headers: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': key }
    const response: WireResponse | undefined = await service.ask({
      method: 'POST',
      path: '/v1/pets',
      body: petJson(pet),
      headers,
    })
    if (key !== undefined && response?.status === 422) return
    expect(response?.status).toBe(201)
    const json = response?.text ?? ''
    expect(normalised(json)).toBe(normalised(petJson(pet, idIn(json))))
    const known = acknowledged.get(idIn(json))
    if (known !== undefined) expect(json).toBe(known)
    acknowledged.set(idIn(json), json)
    if (key !== undefined) idsByKey.set(key, (idsByKey.get(key) ?? new Set()).add(idIn(json)))
    // What was acknowledged is there at once.
    expect((await service.ask({ path: `/v1/pets/${idIn(json)}` }))?.text).toBe(json)
  }

  async function list(): Promise<void> {
    const before = [...acknowledged.keys()]
    const ids = (await listAllPets(service, '/v1/pets?limit=37')).map(({ id }) => id)
    lists += 1
    // Each pet that was acknowledged before the list began, each once, ascending.
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(ids.toSorted((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1)))
    const found = new Set(ids)
    expect(before.filter((id) => !found.has(id))).toEqual([])
  }

  let next = 0
  const work = async (): Promise<void> => {
    while (next < requests) {
      const number = next
      next += 1
      await create(number)
      if (number % 25 === 0) await list()
    }
  }
  await Promise.all(Array.from({ length: clients }, work))
  for (const [key, ids] of idsByKey) expect([key, ids.size]).toEqual([key, 1])
  const stored = await listAllPets(service, '/v1/pets?limit=100')
  expect(new Set(stored.map(({ id }) => id))).toEqual(new Set(acknowledged.keys()))
  report(`parallel model on ${kind}`, {
    seed: SEED,
    clients,
    requests,
    stored: stored.length,
    lists,
  })
})
