import { randomUUID } from 'node:crypto'
import bearerAuth from '@fastify/bearer-auth'
import fastify, { LogController } from 'fastify'
import { isGoodKey, type NewPet, type PetQuery, type PetRow, petBody, port, STATUSES } from './pet.ts'

type Awaitable<T> = T | Promise<T>

/** What the Fastify servers of both databases differ in. */
interface Pets {
  list(query: PetQuery): Awaitable<PetRow[]>
  get(id: number): Awaitable<PetRow | undefined>
  add(pet: NewPet): Awaitable<PetRow>
}

const integer = { type: 'integer' }
const status = { enum: STATUSES }
const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: { name: { type: 'string', minLength: 1, maxLength: 1000 }, categoryId: integer, status },
}
const pet = {
  type: 'object',
  properties: { id: integer, name: { type: 'string' }, categoryId: integer, status: { type: 'string' } },
}
const query = {
  type: 'object',
  properties: { limit: { ...integer, minimum: 1, maximum: 100, default: 20 }, status, after: integer },
}
const params = { type: 'object', properties: { id: integer } }

/** One log line per request, after its response. */
class OneLine extends LogController {
  override incomingRequest(): void {}
}

/** A Fastify server as its guides write it: JSON schemas in and out, its own logger, its bearer plugin. */
export async function serveWithFastify(pets: Pets): Promise<void> {
  const app = fastify({
    logger: true,
    logController: new OneLine(),
    requestIdHeader: 'x-request-id',
    genReqId: () => randomUUID(),
  })
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  await app.register(bearerAuth, { keys: new Set<string>(), auth: isGoodKey })

  const ofList = { querystring: query, response: { 200: { type: 'array', items: pet } } }
  app.get<{ Querystring: PetQuery }>('/v1/pets', { schema: ofList }, async (request) =>
    (await pets.list(request.query)).map(petBody),
  )
  const ofGet = { params, response: { 200: pet } }
  app.get<{ Params: { id: number } }>('/v1/pets/:id', { schema: ofGet }, async (request, reply) => {
    const found = await pets.get(request.params.id)
    return found ? petBody(found) : reply.code(404).send({ message: 'There is no such pet.' })
  })
  const ofAdd = { body: newPet, response: { 201: pet } }
  app.post<{ Body: NewPet }>('/v1/pets', { schema: ofAdd }, async (request, reply) =>
    reply.code(201).send(petBody(await pets.add(request.body))),
  )
  await app.listen({ port, host: '127.0.0.1' })
}
