import pg, { type ClientBase, type Pool, type QueryConfig } from 'pg'
import type { DataPet as Row } from '../requests/data-set.ts'
import { serveBare } from './http.ts'

// The driver gives 64-bit integers as texts otherwise.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const connectionString = process.env['DATABASE_URL'] ?? ''
const query = process.argv[2] === 'pipelined' ? await pipelined(2) : pooled(10)

/** Every statement waits for a connection of its own. */
function pooled(size: number): Query {
  return queryOf(new pg.Pool({ connectionString, max: size }))
}

/** Statements go out without waiting for the results of those before them. */
async function pipelined(size: number): Promise<Query> {
  const queries: Query[] = []
  for (let index = 0; index < size; index += 1) {
    const client = new pg.Client({ connectionString, pipeline: true })
    await client.connect()
    queries.push(queryOf(client))
  }
  let last = 0
  return (statement) => {
    last = (last + 1) % size
    const query = queries[last]
    if (query === undefined) throw new Error('there is no such client')
    return query(statement)
  }
}

type Query = (statement: QueryConfig) => Promise<Row[]>

function queryOf(connection: Pool | ClientBase): Query {
  return (statement) => connection.query<Row>(statement).then(({ rows }) => rows)
}

const columns = 'id, name, category_id as "categoryId", status'
const list = `select ${columns} from pet order by id limit $1`
const listAfter = `select ${columns} from pet where id > $1 order by id limit $2`
const listWithStatus = `select ${columns} from pet where status = $1 order by id limit $2`
const get = `select ${columns} from pet where id = $1`
const add = 'insert into pet (name, category_id, status) values ($1, $2, $3) returning id'

serveBare({
  list: (limit) => query({ name: 'list', text: list, values: [limit] }),
  listAfter: (after, limit) => query({ name: 'list-after', text: listAfter, values: [after, limit] }),
  listWithStatus: (status, limit) => query({ name: 'list-with-status', text: listWithStatus, values: [status, limit] }),
  get: (id) => query({ name: 'get', text: get, values: [id] }).then(([row]) => row),
  add: (name, categoryId, status) =>
    query({ name: 'add', text: add, values: [name, categoryId, status] }).then(([row]) => ({
      id: row?.id ?? 0,
      name,
      categoryId,
      status,
    })),
})
