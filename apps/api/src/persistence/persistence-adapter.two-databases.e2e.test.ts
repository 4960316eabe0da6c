import { type RunningProgram, temporaryFolder } from '@pet-store/testing'
import { createDatabase, type Database } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { runStart } from '../testing/run-program.test-support.ts'

/** A request: method, path below `/v1`, body. */
type Sent = readonly [method: string, path: string, body?: string]

/** Every kind of response, the edges of int64 among them. */
const SCRIPT: readonly Sent[] = [
  ['GET', '/pets'],
  ['POST', '/pets', '{"name":"Top","categoryId":9223372036854775807,"status":"sold"}'],
  ['POST', '/pets', '{"name":"Odd","categoryId":9007199254740993}'],
  ['POST', '/pets', '{"name":"Bottom","categoryId":-9223372036854775808,"status":"available"}'],
  [
    'POST',
    '/pets',
    `{"name":"'; drop table pet; -- \\\\ \\" 🐕 \\u05db\\u05dc\\u05d1",` +
      '"categoryId":0,"status":"pending"}',
  ],
  ['POST', '/pets', '{"name":" ","categoryId":1}'],
  ['POST', '/pets', '{"name":"a\\u0000b","categoryId":1}'],
  ['POST', '/pets', '{"name":"Far","categoryId":9223372036854775808}'],
  ['GET', '/pets'],
  ['GET', '/pets?limit=2'],
  ['GET', '/pets?status=sold'],
  ['GET', '/pets?status=lost'],
  ['GET', '/pets/1'],
  ['GET', '/pets/9223372036854775807'],
  ['GET', '/pets/-9223372036854775808'],
  ['GET', '/pets/9223372036854775808'],
  ['HEAD', '/pets'],
  ['PUT', '/pets'],
]

interface Service {
  readonly program: RunningProgram
  readonly address: string
  readonly key: string
}

describe('SQLite and PostgreSQL', () => {
  let database: Database
  const services: Service[] = []

  beforeAll(async () => {
    database = await createDatabase(inject('postgresUrl'))
    for (const settings of [{}, { DATABASE_URL: database.url }])
      services.push(await runStart(await temporaryFolder(), settings))
  })
  afterAll(async () => {
    for (const { program } of services) {
      program.process.kill('SIGTERM')
      await program.ended
    }
    await database.drop()
  })

  const service = (index: number): Service => {
    const found = services[index]
    if (found === undefined) throw new Error(`service ${index} did not start`)
    return found
  }

  it('SQLite and PostgreSQL give the same bytes on the wire, errors too', async () => {
    for (const sent of SCRIPT) {
      const onSqlite = await ask(service(0), sent)
      const onPostgres = await ask(service(1), sent)
      expect(onPostgres, sent.join(' ')).toEqual(onSqlite)
    }
    const list = await ask(service(1), ['GET', '/pets'])
    expect(list.text).toContain('"categoryId":9223372036854775807')
    expect(list.text).toContain('"categoryId":9007199254740993')
    expect(list.text).toContain('"categoryId":-9223372036854775808')
  })

  it('SQLite and PostgreSQL respond alike when an idempotency key is used again', async () => {
    const key = { 'Idempotency-Key': '"again"' }
    for (const body of [
      '{"name":"Rex","categoryId":1}',
      '{"name":"Rex","categoryId":1}',
      '{"name":"Mia","categoryId":1}',
    ]) {
      const onSqlite = await ask(service(0), ['POST', '/pets', body], key)
      const onPostgres = await ask(service(1), ['POST', '/pets', body], key)
      expect(onPostgres.status).toBe(onSqlite.status)
      expect(withoutId(onPostgres.text)).toBe(withoutId(onSqlite.text))
    }
  })
})

/** The ids differ, because only PostgreSQL uses one up for each attempt. */
function withoutId(text: string): string {
  return text.replace(/"id":[0-9]+/, '"id":…')
}

async function ask(
  { address, key }: Service,
  [method, path, body]: Sent,
  more: Readonly<Record<string, string>> = {},
): Promise<{ status: number; text: string; link: string | null }> {
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const headers = { Authorization: `Bearer ${key}`, ...more, ...type }
  const response = await fetch(`${address}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body }),
  })
  return {
    status: response.status,
    text: await response.text(),
    link: response.headers.get('link'),
  }
}
