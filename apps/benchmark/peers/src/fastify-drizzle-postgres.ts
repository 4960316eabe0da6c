import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { db, pets } from './drizzle-postgres.ts'
import { serveWithFastify } from './fastify-server.ts'

// Prepared statements, as Drizzle's page on performance teaches.
const inOrder = () => db.select().from(pets).orderBy(asc(pets.id)).limit(sql.placeholder('limit')).$dynamic()
const isAfter = gt(pets.id, sql.placeholder('after'))
const hasStatus = eq(pets.status, sql.placeholder('status'))

const list = inOrder().prepare('list')
const listAfter = inOrder().where(isAfter).prepare('list_after')
const listWithStatus = inOrder().where(hasStatus).prepare('list_with_status')
const listWithStatusAfter = inOrder().where(and(hasStatus, isAfter)).prepare('list_with_status_after')
const find = db
  .select()
  .from(pets)
  .where(eq(pets.id, sql.placeholder('id')))
  .prepare('find')
const insert = db
  .insert(pets)
  .values({
    name: sql.placeholder('name'),
    categoryId: sql.placeholder('categoryId'),
    status: sql.placeholder('status'),
  })
  .returning()
  .prepare('insert')

await serveWithFastify({
  list({ limit, status, after }) {
    if (status === undefined) return after === undefined ? list.execute({ limit }) : listAfter.execute({ limit, after })
    return after === undefined
      ? listWithStatus.execute({ limit, status })
      : listWithStatusAfter.execute({ limit, status, after })
  },
  get: async (id) => (await find.execute({ id }))[0],
  async add({ name, categoryId, status }) {
    const [row] = await insert.execute({ name, categoryId, status: status ?? null })
    if (row === undefined) throw new Error('nothing was inserted')
    return row
  },
})
