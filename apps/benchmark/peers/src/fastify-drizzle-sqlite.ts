import Database from 'better-sqlite3'
import { asc, eq, gt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { serveWithFastify } from './fastify-server.ts'
import { DURABLE, STATUSES, sqliteFile } from './pet.ts'

const pets = sqliteTable('pet', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull(),
  categoryId: integer('category_id').notNull(),
  status: text('status', { enum: STATUSES }),
})

const database = new Database(sqliteFile)
database.pragma(DURABLE)
const db = drizzle({ client: database })

// Prepared statements, as Drizzle's page on performance teaches.
const { placeholder } = sql
const inOrder = () => db.select().from(pets).orderBy(asc(pets.id)).limit(placeholder('limit')).$dynamic()
const isAfter = gt(pets.id, placeholder('after'))
const hasStatus = eq(pets.status, placeholder('status'))
const hasId = eq(pets.id, placeholder('id'))
const values = { name: placeholder('name'), categoryId: placeholder('categoryId'), status: placeholder('status') }

const list = inOrder().prepare()
const listAfter = inOrder().where(isAfter).prepare()
const listWithStatus = inOrder().where(hasStatus).prepare()
const find = db.select().from(pets).where(hasId).prepare()
const insert = db.insert(pets).values(values).returning().prepare()

await serveWithFastify({
  list({ limit, status, after }) {
    if (status !== undefined) return listWithStatus.all({ limit, status })
    return after === undefined ? list.all({ limit }) : listAfter.all({ limit, after })
  },
  get: (id) => find.get({ id }),
  add: ({ name, categoryId, status }) => insert.get({ name, categoryId, status: status ?? null }),
})
