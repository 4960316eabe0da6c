import { serve } from '@hono/node-server'
import { zValidator } from '@hono/zod-validator'
import { and, asc, eq, gt } from 'drizzle-orm'
import { Hono } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import { type RequestIdVariables, requestId } from 'hono/request-id'
import pino from 'pino'
import { db, pets } from './drizzle-sqlite.ts'
import { isGoodKey, port } from './environment.ts'
import { petBody } from './pet.ts'
import { newPet, petParams, petQuery } from './zod-schemas.ts'

const log = pino()
const app = new Hono<{ Variables: RequestIdVariables }>()

app.use(requestId())
app.use(async (c, next) => {
  const start = performance.now()
  await next()
  log.info({
    requestId: c.get('requestId'),
    method: c.req.method,
    path: c.req.path,
    status: c.res.status,
    responseTime: performance.now() - start,
  })
})
app.use('/v1/*', bearerAuth({ verifyToken: isGoodKey }))

app.get('/v1/pets', zValidator('query', petQuery), async (c) => {
  const { limit, status, after } = c.req.valid('query')
  const found = await db
    .select()
    .from(pets)
    .where(and(status && eq(pets.status, status), after === undefined ? undefined : gt(pets.id, after)))
    .orderBy(asc(pets.id))
    .limit(limit)
  return c.json(found.map(petBody))
})

app.get('/v1/pets/:id', zValidator('param', petParams), async (c) => {
  const found = await db
    .select()
    .from(pets)
    .where(eq(pets.id, c.req.valid('param').id))
    .get()
  return found ? c.json(petBody(found)) : c.json({ message: 'There is no such pet.' }, 404)
})

app.post('/v1/pets', zValidator('json', newPet), async (c) => {
  const added = await db.insert(pets).values(c.req.valid('json')).returning().get()
  return c.json(petBody(added), 201)
})

serve({ fetch: app.fetch, port, hostname: '127.0.0.1' })
