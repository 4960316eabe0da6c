import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { db, pets } from './drizzle-sqlite.ts'
import { serveWithFastify } from './fastify-server.ts'

// Prepared statements, as Drizzle's page on performance teaches.
const inOrder = () => db.select().from(pets).orderBy(asc(pets.id)).limit(sql.placeholder('limit')).$dynamic()
const isAfter = gt(pets.id, sql.placeholder('after'))
const hasStatus = eq(pets.status, sql.placeholder('status'))

const list = inOrder().prepare()
const listAfter = inOrder().where(isAfter).prepare()
const listWithStatus = inOrder().where(hasStatus).prepare()
const listWithStatusAfter = inOrder().where(and(hasStatus, isAfter)).prepare()
const find = db
  .select()
  .from(pets)
  .where(eq(pets.id, sql.placeholder('id')))
  .prepare()
const insert = db
  .insert(pets)
  .values({
    name: sql.placeholder('name'),
    categoryId: sql.placeholder('categoryId'),
    status: sql.placeholder('status'),
  })
  .returning()
  .prepare()

await serveWithFastify({
  list({ limit, status, after }) {
    if (status === undefined) return after === undefined ? list.all({ limit }) : listAfter.all({ limit, after })
    return after === undefined
      ? listWithStatus.all({ limit, status })
      : listWithStatusAfter.all({ limit, status, after })
  },
  get: (id) => find.get({ id }),
  add: ({ name, categoryId, status }) => insert.get({ name, categoryId, status: status ?? null }),
})
