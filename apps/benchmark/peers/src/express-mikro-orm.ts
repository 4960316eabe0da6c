import { defineEntity, p } from '@mikro-orm/core'
import { MikroORM as PostgresORM } from '@mikro-orm/postgresql'
import { MikroORM as SqliteORM } from '@mikro-orm/sqlite'
import express, { type ErrorRequestHandler } from 'express'
import { pinoHttp } from 'pino-http'
import { ZodError, z } from 'zod'
import {
  DURABLE,
  databaseUrl,
  isValidKey,
  petBody,
  port,
  requestId,
  STATUSES,
  sqliteFile,
} from './pet.ts'

const status = z.enum(STATUSES).optional()
const petQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  status,
  after: z.coerce.number().int().optional(),
})
const petParams = z.object({ id: z.coerce.number().int() })
const newPet = z.object({ name: z.string().min(1).max(1000), categoryId: z.number().int(), status })

const Pet = defineEntity({
  name: 'Pet',
  tableName: 'pet',
  properties: {
    id: p.bigint('number').primary(),
    name: p.text(),
    categoryId: p.bigint('number'),
    status: p.text().nullable(),
  },
})

const orm =
  sqliteFile === undefined
    ? new PostgresORM({ entities: [Pet], clientUrl: databaseUrl, pool: { max: 10 } })
    : new SqliteORM({ entities: [Pet], dbName: sqliteFile })
await orm.connect()
if (sqliteFile !== undefined) await orm.em.getConnection().execute(`pragma ${DURABLE}`)

const app = express()
app.use(pinoHttp({ genReqId: requestId }))
app.use((req, res, next) => {
  const key = req.headers.authorization?.replace(/^Bearer /, '')
  if (key !== undefined && isValidKey(key)) next()
  else res.status(401).json({ message: 'An API key is required.' })
})
app.use(express.json())

app.get('/v1/pets', async (req, res) => {
  const { limit, status, after } = petQuery.parse(req.query)
  const em = orm.em.fork()
  const where = { ...(status && { status }), ...(after !== undefined && { id: { $gt: after } }) }
  const found = await em.find(Pet, where, { orderBy: { id: 'asc' }, limit })
  res.json(found.map(petBody))
})

app.get('/v1/pets/:id', async (req, res) => {
  const { id } = petParams.parse(req.params)
  const found = await orm.em.fork().findOne(Pet, { id })
  if (found === null) res.status(404).json({ message: 'There is no such pet.' })
  else res.json(petBody(found))
})

app.post('/v1/pets', async (req, res) => {
  const em = orm.em.fork()
  const added = em.create(Pet, newPet.parse(req.body))
  await em.persist(added).flush()
  res.status(201).json(petBody(added))
})

app.use(((error, req, res, _next) => {
  if (!(error instanceof ZodError)) req.log.error(error)
  res.status(error instanceof ZodError ? 400 : 500).json({ message: error.message })
}) satisfies ErrorRequestHandler)

app.listen(port, '127.0.0.1')
