import { randomUUID } from 'node:crypto'
import bearerAuth from '@fastify/bearer-auth'
import fastify, { LogController } from 'fastify'
import { isGoodKey, port } from './environment.ts'
import { type NewPet, type PetQuery, type PetStore, petBody, STATUSES } from './pet.ts'

const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 1000 },
    categoryId: { type: 'integer' },
    status: { enum: STATUSES },
  },
}

const pet = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    categoryId: { type: 'integer' },
    status: { type: 'string' },
  },
}

const query = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    status: { enum: STATUSES },
    after: { type: 'integer' },
  },
}

const params = { type: 'object', properties: { id: { type: 'integer' } } }

/** One log line per request, after its response. */
class OneLine extends LogController {
  override incomingRequest(): void {}
}

/** A Fastify server as its guides write it: JSON schemas in and out, its own logger, its bearer plugin. */
export async function serveWithFastify(pets: PetStore): Promise<void> {
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

  app.get<{ Querystring: PetQuery }>(
    '/v1/pets',
    { schema: { querystring: query, response: { 200: { type: 'array', items: pet } } } },
    async (request) => (await pets.list(request.query)).map(petBody),
  )
  app.get<{ Params: { id: number } }>(
    '/v1/pets/:id',
    { schema: { params, response: { 200: pet } } },
    async (request, reply) => {
      const found = await pets.get(request.params.id)
      return found ? petBody(found) : reply.code(404).send({ message: 'There is no such pet.' })
    },
  )
  app.post<{ Body: NewPet }>(
    '/v1/pets',
    { schema: { body: newPet, response: { 201: pet } } },
    async (request, reply) => {
      const added = await pets.add(request.body)
      return reply.code(201).send(petBody(added))
    },
  )
  await app.listen({ port, host: '127.0.0.1' })
}
