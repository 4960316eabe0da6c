import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { DURABLE, sqliteFile } from './environment.ts'
import { STATUSES } from './pet.ts'

export const pets = sqliteTable('pet', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull(),
  categoryId: integer('category_id').notNull(),
  status: text('status', { enum: STATUSES }),
})

const database = new Database(sqliteFile)
database.pragma(DURABLE)
export const db = drizzle({ client: database })
