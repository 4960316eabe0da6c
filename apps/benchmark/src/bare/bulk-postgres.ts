// COPY into a database, and out of it: the database's own rate.
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from, to } from 'pg-copy-streams'

const [task, path = ''] = process.argv.slice(2)
const client = new pg.Client({ connectionString: process.env['DATABASE_URL'] })
await client.connect()
if (task === 'load') {
  await pipeline(createReadStream(path), client.query(from('copy pet (name, category_id, status) from stdin')))
} else {
  const pets = client.query(to('copy (select name, category_id, status from pet order by id) to stdout'))
  await pipeline(pets, createWriteStream(path))
}
await client.end()
