import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Pet, PetRepository } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { describe, expect, it } from 'vitest'
import { expectError } from '../testing/expect-error.test-support.ts'
import { startTestServer } from '../testing/start-test-server.test-support.ts'
import type { Operation } from './operation.ts'
import { BASE, OPERATIONS } from './operations.ts'

// Generated tests cover what the description says of every operation, and those below what every
// operation does; only its own tests cover the rest.
it.each(Object.keys(OPERATIONS))(
  'the operation %s has tests of its own beside its handler',
  (name) => {
    const file = `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.test.ts`
    expect(existsSync(join(import.meta.dirname, file)), file).toBe(true)
  },
)

const REX: Pet = { id: 1n, name: 'Rex', categoryId: 1n }
const STRICT = { Prefer: 'handling=strict' }

/** The example of the body, if the operation has one. */
function bodyOf({ published }: Operation): object | undefined {
  return published.requestBody?.content['application/json']?.example as object | undefined
}

/** Sends the example of an operation, about the pet 1 unless told otherwise. */
async function sender(operation: Operation, repository: PetRepository = createMemoryPets([REX])) {
  const server = await startTestServer({ repository })
  return (change: { id?: string; query?: string; headers?: object; body?: string } = {}) => {
    const { id = '1', query = '', headers = {}, body = JSON.stringify(bodyOf(operation)) } = change
    return server.send({
      method: operation.method.toUpperCase(),
      path: `${BASE}${operation.path.replace(/\{\w+\}/, id)}${query}`,
      headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers },
      ...(body && { body }),
    })
  }
}

const all = Object.entries(OPERATIONS)

describe.each(all)('the operation %s', (name, operation) => {
  it(`${name} ignores unknown parameters, or rejects them with handling=strict`, async () => {
    const send = await sender(operation)
    expect((await send({ query: '?unknown=1' })).status).toBeLessThan(300)
    const response = await send({ query: '?unknown=1', headers: STRICT })
    expect(expectError(response, 'invalid_request')).toContain('unknown')
    expect(response.headers['preference-applied']).toBe('handling=strict')
  })
})

describe.each(all.filter(([, operation]) => bodyOf(operation) !== undefined))(
  'the body of %s',
  (name, operation) => {
    it(`${name} ignores unknown fields, or rejects them with handling=strict`, async () => {
      const send = await sender(operation)
      const body = JSON.stringify({ ...bodyOf(operation), unknown: 1 })
      expect((await send({ body })).status).toBeLessThan(300)
      expectError(await send({ body, headers: STRICT }), 'invalid_request')
    })

    it(`${name} rejects a body of another type or of too many bytes, as it declares`, async () => {
      const send = await sender(operation)
      const text = { 'Content-Type': 'text/plain' }
      expectError(await send({ headers: text }), 'unsupported_media_type')
      expectError(await send({ body: ' '.repeat(102_401) }), 'payload_too_large')
    })

    it(`${name} rejects an invalid body even where there is no such pet`, async () => {
      expectError(await (await sender(operation))({ id: 'none', body: '[]' }), 'invalid_request')
    })
  },
)

it.each(all.filter(([, { method }]) => method !== 'get'))(
  '%s passes on whether its client still waits',
  async (_name, operation) => {
    const passed: unknown[] = []
    const functions = Object.entries(createMemoryPets([REX])).map(([name, run]) => [
      name,
      (...parameters: unknown[]) => {
        passed.push(...parameters)
        return (run as (...all: unknown[]) => unknown)(...parameters)
      },
    ])
    await (await sender(operation, Object.fromEntries(functions)))()
    expect(passed).toContainEqual(expect.objectContaining({ aborted: false }))
  },
)
