import Database from 'better-sqlite3'
import type { DataPet as Row } from '../requests/data-set.ts'
import { serveBare } from './http.ts'

const database = new Database((process.env['DATABASE_URL'] ?? '').slice('sqlite:'.length))
// As durable as the service: an acknowledged write survives a power cut.
database.pragma('journal_mode = wal')
database.pragma('synchronous = full')

const columns = 'id, name, category_id as "categoryId", status'
const list = database.prepare<[number], Row>(`select ${columns} from pet order by id limit ?`)
const listAfter = database.prepare<[number, number], Row>(
  `select ${columns} from pet where id > ? order by id limit ?`,
)
const listWithStatus = database.prepare<[string, number], Row>(
  `select ${columns} from pet where status = ? order by id limit ?`,
)
const get = database.prepare<[number], Row>(`select ${columns} from pet where id = ?`)
const add = database.prepare<[string, number, string | null]>(
  'insert into pet (name, category_id, status) values (?, ?, ?)',
)

serveBare({
  list: (limit) => list.all(limit),
  listAfter: (after, limit) => listAfter.all(after, limit),
  listWithStatus: (status, limit) => listWithStatus.all(status, limit),
  get: (id) => get.get(id),
  add(name, categoryId, status) {
    const { lastInsertRowid } = add.run(name, categoryId, status)
    return { id: Number(lastInsertRowid), name, categoryId, status }
  },
})
