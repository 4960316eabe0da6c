// The least that fills a database with the data set, or empties it to a file: the database's own way.
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

const databaseUrl = process.env['DATABASE_URL'] ?? ''
const [task, path = '', ...numbers] = process.argv.slice(2)
if (databaseUrl.startsWith('sqlite:')) await runOnSqlite(databaseUrl.slice('sqlite:'.length))
else await runOnPostgres()

// Each loads only its own driver, which counts.
async function runOnSqlite(file: string): Promise<void> {
  const { dumpSqlite, fillSqlite } = await import('../servers/sqlite-file.ts')
  const [size = 0, petsATransaction = 0] = numbers.map(Number)
  if (task === 'load') fillSqlite(file, size, petsATransaction)
  else dumpSqlite(file, path)
}

async function runOnPostgres(): Promise<void> {
  const [{ default: pg }, { from, to }] = await Promise.all([import('pg'), import('pg-copy-streams')])
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  if (task === 'load') {
    await pipeline(createReadStream(path), client.query(from('copy pet (name, category_id, status) from stdin')))
  } else {
    const pets = client.query(to('copy (select name, category_id, status from pet order by id) to stdout'))
    // As durable as our export.
    await pipeline(pets, createWriteStream(path, { flush: true }))
  }
  await client.end()
}
