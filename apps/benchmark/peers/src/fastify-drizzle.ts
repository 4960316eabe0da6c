import { and, asc, eq, gt } from 'drizzle-orm'
import { db, pets } from './drizzle-sqlite.ts'
import { serveWithFastify } from './fastify-server.ts'

// Queries built per request, as the guides of Drizzle begin.
await serveWithFastify({
  list: ({ limit, status, after }) =>
    db
      .select()
      .from(pets)
      .where(and(status && eq(pets.status, status), after === undefined ? undefined : gt(pets.id, after)))
      .orderBy(asc(pets.id))
      .limit(limit),
  get: (id) => db.select().from(pets).where(eq(pets.id, id)).get(),
  add: (pet) => db.insert(pets).values(pet).returning().get(),
})
