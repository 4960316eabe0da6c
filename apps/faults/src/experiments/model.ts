import { INT64 } from '@pet-store/domain'
import fc from 'fast-check'
import { expect } from 'vitest'
import { idIn, type StoredPet } from '../harness/ledger.ts'
import { listAllPets } from '../harness/list-all-pets.ts'
import { runCommand, type Service } from '../harness/service.ts'

/** A pet as a client writes it; `categoryId` as its digits. */
export interface PetText {
  readonly name: string
  readonly categoryId: string
  readonly status: 'available' | 'pending' | 'sold' | undefined
}

interface ModelKey {
  /** Absent for the key of the settings, which cannot be rotated or revoked. */
  readonly id?: string
  readonly text: string
  isValid: boolean
}

/** What the service should hold, as plain data. */
export interface Model {
  readonly pets: (StoredPet & { readonly json: string; readonly status: PetText['status'] })[]
  /** The pet that each idempotency key has created, by API key and idempotency key. */
  readonly idempotencyKeys: Map<string, { readonly json: string; readonly content: string }>
  readonly keys: ModelKey[]
}

interface Running {
  readonly service: Service
  readonly environment: Readonly<Record<string, string>>
}

type Command = fc.AsyncCommand<Model, Running>

const STATUSES = ['available', 'pending', 'sold', undefined] as const
export const petText: fc.Arbitrary<PetText> = fc.record({
  // Few contents, so that idempotency keys are used again with the same and with another one.
  name: fc.oneof(
    fc.constantFrom('Rex', 'Mia'),
    fc.constantFrom('שלג', '🐕', 'a "quoted" \\ name', "'; drop table pet"),
  ),
  categoryId: fc.oneof(fc.constantFrom('1', '9007199254740993'), fc.bigInt(INT64).map(String)),
  status: fc.constantFrom(...STATUSES),
})

/** The body of a request, and of the response where it has an id. */
export function petJson({ name, categoryId, status }: PetText, id?: string): string {
  const fields = [`"name":${JSON.stringify(name)}`, `"categoryId":${categoryId}`]
  if (status !== undefined) fields.push(`"status":"${status}"`)
  if (id !== undefined) fields.unshift(`"id":${id}`)
  return `{${fields.join(',')}}`
}

/** The JSON of a pet with its fields in one order. */
export function normalised(json: string): string {
  return JSON.stringify(
    Object.entries(JSON.parse(json.replaceAll(/:(-?[0-9]+)/g, ':"$1"')) as object).toSorted(),
  )
}

function create(pet: PetText, key: string | undefined, apiKeyIndex: number): Command {
  async function run(model: Model, { service }: Running): Promise<void> {
    const apiKey = pick(model.keys, apiKeyIndex)
    const body = petJson(pet)
    const headers: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': key }
    const response = await service.ask({
      method: 'POST',
      path: '/v1/pets',
      key: apiKey.text,
      body,
      headers,
    })
    if (!apiKey.isValid) {
      // Too many unknown keys from one address get 429 instead of being looked up.
      expect([401, 429]).toContain(response?.status)
      return
    }
    const scope = `${apiKey.text} ${key}`
    const earlier = key === undefined ? undefined : model.idempotencyKeys.get(scope)
    if (earlier !== undefined && earlier.content !== body) {
      expect(response?.status).toBe(422)
      return
    }
    expect(response?.status).toBe(201)
    const json = response?.text ?? ''
    if (earlier !== undefined) {
      expect(json).toBe(earlier.json)
      return
    }
    const id = idIn(json)
    expect(normalised(json)).toBe(normalised(petJson(pet, id)))
    expect(BigInt(id)).toBeGreaterThan(BigInt(model.pets.at(-1)?.id ?? 0))
    model.pets.push({ id, name: pet.name, status: pet.status, json })
    if (key !== undefined) model.idempotencyKeys.set(scope, { json, content: body })
  }
  return always(run, `create(${petJson(pet)}, ${key}, key ${apiKeyIndex})`)
}

function get(index: number): Command {
  async function run(model: Model, { service }: Running): Promise<void> {
    const pet = model.pets[index]
    const id = pet?.id ?? (BigInt(model.pets.at(-1)?.id ?? 0) + BigInt(index) + 1n).toString()
    const response = await service.ask({ path: `/v1/pets/${id}` })
    expect(response?.status).toBe(pet === undefined ? 404 : 200)
    if (pet !== undefined) expect(response?.text).toBe(pet.json)
  }
  return always(run, `get(${index})`)
}

function listAll(limit: number, status: PetText['status']): Command {
  async function run(model: Model, { service }: Running): Promise<void> {
    const filter = status === undefined ? '' : `&status=${status}`
    const pets = await listAllPets(service, `/v1/pets?limit=${limit}${filter}`)
    const expected = model.pets.filter((pet) => status === undefined || pet.status === status)
    expect(pets).toEqual(expected.map(({ id, name }) => ({ id, name })))
  }
  return always(run, `listAll(${limit}, ${status})`)
}

function changeKey(what: 'create' | 'rotate' | 'revoke', index: number): Command {
  async function run(model: Model, { service, environment }: Running): Promise<void> {
    const { id = '' } = pick(model.keys, index)
    const args = {
      create: ['keys', 'create', '--name', `key-${model.keys.length}`, '--json'],
      rotate: ['keys', 'rotate', id, '--overlap', '0s', '--json'],
      revoke: ['keys', 'revoke', id],
    }[what]
    const { exit, stdout, stderr } = await runCommand(args, service.folder, environment)
    expect([exit, exit === 0 ? '' : stderr]).toEqual([0, ''])
    if (what !== 'create') pick(model.keys, index).isValid = false
    if (what === 'revoke') return
    const issued = JSON.parse(stdout) as { id: string; key: string }
    model.keys.push({ id: issued.id, text: issued.key, isValid: true })
  }
  const check = ({ keys }: Readonly<Model>) => {
    const { id, isValid } = pick(keys, index)
    return what === 'create' || (id !== undefined && isValid)
  }
  return { ...always(run, `${what} key(${index})`), check }
}

function restart(signal: NodeJS.Signals): Command {
  async function run(_model: Model, { service }: Running): Promise<void> {
    await service.end(signal)
    await service.start()
  }
  return always(run, `restart(${signal})`)
}

/** A command that fits every state. */
function always(run: Command['run'], text: string): Command {
  return { check: () => true, run, toString: () => text }
}

function pick<Value>(values: readonly Value[], index: number): Value {
  const value = values[index % values.length]
  if (value === undefined) throw new RangeError('There is nothing to pick from.')
  return value
}

/** This many commands of all kinds. */
export function commands(count: number): fc.Arbitrary<readonly Command[]> {
  const index = fc.nat(30)
  const idempotencyKey = fc.option(fc.constantFrom('one', 'two', 'three'), {
    nil: undefined,
    freq: 2,
  })
  const all = [
    {
      weight: 14,
      arbitrary: fc.tuple(petText, idempotencyKey, index).map((all) => create(...all)),
    },
    { weight: 6, arbitrary: index.map((at) => get(at)) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.integer({ min: 1, max: 7 }), fc.constantFrom(...STATUSES))
        .map((all) => listAll(...all)),
    },
    { weight: 1, arbitrary: fc.constant(changeKey('create', 0)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('rotate', 'revoke'), index)
        .map((all) => changeKey(...all)),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom<NodeJS.Signals>('SIGTERM', 'SIGKILL')
        .map((signal) => restart(signal)),
    },
  ]
  // Not `fc.commands`, whose first sequences are short or empty.
  const command: fc.Arbitrary<Command> = fc.oneof(...all)
  return fc.array(command, { minLength: count, maxLength: count, size: 'max' })
}
