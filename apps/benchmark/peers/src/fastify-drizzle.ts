import { randomUUID } from 'node:crypto'
import bearerAuth from '@fastify/bearer-auth'
import Database from 'better-sqlite3'
import { asc, eq, gt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import fastify, { LogController } from 'fastify'
import { DURABLE, isValidKey, petBody, port, STATUSES, type Status, sqliteFile } from './pet.ts'

const pets = sqliteTable('pet', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull(),
  categoryId: integer('category_id').notNull(),
  status: text('status', { enum: STATUSES }),
})

const database = new Database(sqliteFile)
database.pragma(DURABLE)
const db = drizzle({ client: database })

// Prepared statements, as Drizzle's page on performance recommends.
const { placeholder } = sql
const inOrder = () =>
  db.select().from(pets).orderBy(asc(pets.id)).limit(placeholder('limit')).$dynamic()
const isAfter = gt(pets.id, placeholder('after'))
const hasStatus = eq(pets.status, placeholder('status'))
const hasId = eq(pets.id, placeholder('id'))
const values = {
  name: placeholder('name'),
  categoryId: placeholder('categoryId'),
  status: placeholder('status'),
}

const list = inOrder().prepare()
const listAfter = inOrder().where(isAfter).prepare()
const listWithStatus = inOrder().where(hasStatus).prepare()
const find = db.select().from(pets).where(hasId).prepare()
const insert = db.insert(pets).values(values).returning().prepare()

function listed({ limit, status, after }: PetQuery) {
  if (status !== undefined) return listWithStatus.all({ limit, status })
  return after === undefined ? list.all({ limit }) : listAfter.all({ limit, after })
}

type PetQuery = { limit: number; status?: Status; after?: number }

const int = { type: 'integer' }
const status = { enum: STATUSES }
const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: { name: { type: 'string', minLength: 1, maxLength: 1000 }, categoryId: int, status },
}
const pet = {
  type: 'object',
  properties: { id: int, name: { type: 'string' }, categoryId: int, status: { type: 'string' } },
}
const query = {
  type: 'object',
  properties: { limit: { ...int, minimum: 1, maximum: 100, default: 20 }, status, after: int },
}
const params = { type: 'object', properties: { id: int } }

/** One log line per request, after its response. */
class OneLine extends LogController {
  override incomingRequest(): void {}
}

// As Fastify's guides show: JSON schemas for input and output, its logger, its bearer plugin.
const app = fastify({
  logger: true,
  logController: new OneLine(),
  requestIdHeader: 'x-request-id',
  genReqId: () => randomUUID(),
})
app.addHook('onSend', async (request, reply) => {
  reply.header('x-request-id', request.id)
})
await app.register(bearerAuth, { keys: new Set<string>(), auth: isValidKey })

const ofList = { querystring: query, response: { 200: { type: 'array', items: pet } } }
app.get<{ Querystring: PetQuery }>('/v1/pets', { schema: ofList }, async (request) =>
  listed(request.query).map(petBody),
)
const ofGet = { params, response: { 200: pet } }
app.get<{ Params: { id: number } }>('/v1/pets/:id', { schema: ofGet }, async (request, reply) => {
  const found = find.get({ id: request.params.id })
  return found ? petBody(found) : reply.code(404).send({ message: 'There is no such pet.' })
})
const ofAdd = { body: newPet, response: { 201: pet } }
app.post<{ Body: typeof pets.$inferInsert }>(
  '/v1/pets',
  { schema: ofAdd },
  async (request, reply) => {
    const added = insert.get({ status: null, ...request.body })
    return reply.code(201).send(petBody(added))
  },
)
await app.listen({ port, host: '127.0.0.1' })
