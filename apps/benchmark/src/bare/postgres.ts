import pg, { type ClientBase, type Pool, type QueryConfig } from 'pg'
import type { DataPet as Row } from '../requests/data-set.ts'
import { serveBare } from './http.ts'

// The driver gives 64-bit integers as texts otherwise.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const connectionString = process.env['DATABASE_URL'] ?? ''
/**
 * A pool, in which every statement waits for a connection of its own; or two clients, whose
 * statements go out without waiting for the results of those before them.
 */
const connections =
  process.argv[2] === 'pipelined'
    ? [await connectPipelined(), await connectPipelined()]
    : [new pg.Pool({ connectionString, max: 10 })]
let turn = 0

async function connectPipelined(): Promise<ClientBase> {
  const client = new pg.Client({ connectionString, pipeline: true })
  await client.connect()
  return client
}

function query(statement: QueryConfig): Promise<Row[]> {
  turn = (turn + 1) % connections.length
  const connection = connections[turn] as Pool | ClientBase
  return connection.query<Row>(statement).then(({ rows }) => rows)
}

const columns = 'id, name, category_id as "categoryId", status'
const list = `select ${columns} from pet order by id limit $1`
const listAfter = `select ${columns} from pet where id > $1 order by id limit $2`
const listWithStatus = `select ${columns} from pet where status = $1 order by id limit $2`
const get = `select ${columns} from pet where id = $1`
const add = 'insert into pet (name, category_id, status) values ($1, $2, $3) returning id'

serveBare({
  list: (limit) => query({ name: 'list', text: list, values: [limit] }),
  listAfter: (after, limit) =>
    query({ name: 'list-after', text: listAfter, values: [after, limit] }),
  listWithStatus: (status, limit) =>
    query({ name: 'list-with-status', text: listWithStatus, values: [status, limit] }),
  get: (id) => query({ name: 'get', text: get, values: [id] }).then(([row]) => row),
  async add(name, categoryId, status) {
    const [row] = await query({ name: 'add', text: add, values: [name, categoryId, status] })
    return { id: row?.id ?? 0, name, categoryId, status }
  },
})
