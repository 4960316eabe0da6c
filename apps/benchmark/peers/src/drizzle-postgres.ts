import { drizzle } from 'drizzle-orm/node-postgres'
import { bigint, bigserial, pgTable, text } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { databaseUrl } from './environment.ts'
import { STATUSES } from './pet.ts'

export const pets = pgTable('pet', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  name: text('name').notNull(),
  categoryId: bigint('category_id', { mode: 'number' }).notNull(),
  status: text('status', { enum: STATUSES }),
})

export const db = drizzle({ client: new pg.Pool({ connectionString: databaseUrl, max: 10 }) })
