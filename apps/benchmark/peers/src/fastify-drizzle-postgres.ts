import { asc, eq, gt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { bigint, bigserial, pgTable, text } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { serveWithFastify } from './fastify-server.ts'
import { databaseUrl, STATUSES } from './pet.ts'

const pets = pgTable('pet', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  name: text('name').notNull(),
  categoryId: bigint('category_id', { mode: 'number' }).notNull(),
  status: text('status', { enum: STATUSES }),
})

const db = drizzle({ client: new pg.Pool({ connectionString: databaseUrl, max: 10 }) })

// Prepared statements, as Drizzle's page on performance teaches.
const { placeholder } = sql
const inOrder = () => db.select().from(pets).orderBy(asc(pets.id)).limit(placeholder('limit')).$dynamic()
const isAfter = gt(pets.id, placeholder('after'))
const hasStatus = eq(pets.status, placeholder('status'))
const hasId = eq(pets.id, placeholder('id'))
const values = { name: placeholder('name'), categoryId: placeholder('categoryId'), status: placeholder('status') }

const list = inOrder().prepare('list')
const listAfter = inOrder().where(isAfter).prepare('list_after')
const listWithStatus = inOrder().where(hasStatus).prepare('list_with_status')
const find = db.select().from(pets).where(hasId).prepare('find')
const insert = db.insert(pets).values(values).returning().prepare('insert')

await serveWithFastify({
  list({ limit, status, after }) {
    if (status !== undefined) return listWithStatus.execute({ limit, status })
    return after === undefined ? list.execute({ limit }) : listAfter.execute({ limit, after })
  },
  get: async (id) => (await find.execute({ id }))[0],
  async add({ name, categoryId, status }) {
    const [row] = await insert.execute({ name, categoryId, status: status ?? null })
    if (row === undefined) throw new Error('nothing was inserted')
    return row
  },
})
