// Runs on Bun, from source: `bun src/bun-elysia.ts`.
import { Database } from 'bun:sqlite'
import { SQL } from 'bun'
import { Elysia, t } from 'elysia'
import pino from 'pino'
import { DURABLE, databaseUrl, isValidKey, petBody, port, STATUSES, sqliteFile } from './pet.ts'

interface Row {
  id: number
  name: string
  categoryId: number
  status: string | null
}

interface Query {
  limit: number
  status?: string
  after?: number
}

/** What the routes need of a database. */
interface Pets {
  list(query: Query): readonly Row[] | Promise<readonly Row[]>
  get(id: number): Row | null | Promise<Row | undefined>
  add(name: string, categoryId: number, status: string | null): Row | Promise<Row>
}

// As Bun's documentation of SQLite shows: prepared statements that are kept.
function sqlitePets(file: string): Pets {
  const database = new Database(file)
  database.run('pragma journal_mode = wal')
  database.run(`pragma ${DURABLE}`)
  const columns = 'id, name, category_id as "categoryId", status'
  const listed = (where: string) =>
    database.prepare<Row, (string | number)[]>(
      `select ${columns} from pet ${where} order by id limit ?`,
    )
  const list = listed('')
  const listAfter = listed('where id > ?')
  const listWithStatus = listed('where status = ?')
  const get = database.prepare<Row, [number]>(`select ${columns} from pet where id = ?`)
  const add = database.prepare<Row, [string, number, string | null]>(
    `insert into pet (name, category_id, status) values (?, ?, ?) returning ${columns}`,
  )
  return {
    list({ limit, status, after }) {
      if (status !== undefined) return listWithStatus.all(status, limit)
      return after === undefined ? list.all(limit) : listAfter.all(after, limit)
    },
    get: (id) => get.get(id),
    add: (name, categoryId, status) => add.get(name, categoryId, status) as Row,
  }
}

// As Bun's documentation of SQL shows: tagged templates, which are prepared and pipelined.
function postgresPets(url: string): Pets {
  const sql = new SQL({ url, max: 10 })
  const columns = sql`id, name, category_id as "categoryId", status`
  // An int8 comes as a string.
  const row = ({ id, name, categoryId, status }: Row) => ({
    id: Number(id),
    name,
    categoryId: Number(categoryId),
    status,
  })
  return {
    async list({ limit, status, after }) {
      const rows: Row[] =
        status !== undefined
          ? await sql`select ${columns} from pet where status = ${status}
              order by id limit ${limit}`
          : after === undefined
            ? await sql`select ${columns} from pet order by id limit ${limit}`
            : await sql`select ${columns} from pet where id > ${after} order by id limit ${limit}`
      return rows.map(row)
    },
    async get(id) {
      const [found]: Row[] = await sql`select ${columns} from pet where id = ${id}`
      return found && row(found)
    },
    async add(name, categoryId, status) {
      const [added]: Row[] = await sql`insert into pet (name, category_id, status)
        values (${name}, ${categoryId}, ${status}) returning ${columns}`
      return row(added as Row)
    },
  }
}

const pets = sqliteFile === undefined ? postgresPets(databaseUrl) : sqlitePets(sqliteFile)
const log = pino(pino.destination({ sync: false }))
const [available, pending, sold] = STATUSES
const status = t.Optional(t.Union([t.Literal(available), t.Literal(pending), t.Literal(sold)]))

new Elysia({ normalize: false })
  .derive(({ request }) => ({
    startedAt: performance.now(),
    requestId: request.headers.get('x-request-id') ?? crypto.randomUUID(),
  }))
  .onError(({ code, set }) => {
    if (code !== 'VALIDATION' && code !== 'PARSE') return
    set.status = 400
    return { message: 'The request is invalid.' }
  })
  .onBeforeHandle(({ headers, requestId, set, status: end }) => {
    set.headers['x-request-id'] = requestId
    const key = headers['authorization']?.replace(/^Bearer /, '')
    if (key === undefined || !isValidKey(key)) return end(401, { message: 'A key is required.' })
  })
  .onAfterResponse(({ request, route, set, startedAt, requestId }) => {
    const durationMs = performance.now() - startedAt
    log.info(
      { requestId, method: request.method, route, status: set.status, durationMs },
      'request',
    )
  })
  .get('/v1/pets', async ({ query }) => (await pets.list(query)).map(petBody), {
    query: t.Object({
      limit: t.Integer({ minimum: 1, maximum: 100, default: 20 }),
      status,
      after: t.Optional(t.Integer()),
    }),
  })
  .get(
    '/v1/pets/:id',
    async ({ params, status: end }) => {
      const found = await pets.get(params.id)
      return found ? petBody(found) : end(404, { message: 'There is no such pet.' })
    },
    { params: t.Object({ id: t.Integer() }) },
  )
  .post(
    '/v1/pets',
    async ({ body, status: end }) =>
      end(201, petBody(await pets.add(body.name, body.categoryId, body.status ?? null))),
    {
      body: t.Object({
        name: t.String({ minLength: 1, maxLength: 1000 }),
        categoryId: t.Integer(),
        status,
      }),
    },
  )
  .listen({ port, hostname: '127.0.0.1' })
