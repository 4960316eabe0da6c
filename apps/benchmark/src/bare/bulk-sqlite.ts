// The least that fills a database with the data set, and the least that writes it to a file: the database's own rate.
import { closeSync, openSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { copyLine } from '../bulk-files.ts'
import { type DataPet, dataPet } from '../data-set.ts'

const ROWS_A_WRITE = 1_000

const database = new Database((process.env['DATABASE_URL'] ?? '').slice('sqlite:'.length))
// As durable as the service: what was committed survives a power cut.
database.pragma('journal_mode = wal')
database.pragma('synchronous = full')

const [task, ...words] = process.argv.slice(2)
if (task === 'load') load(Number(words[0]), Number(words[1]))
else dump(words[0] ?? '')
database.close()

function load(pets: number, batch: number): void {
  const insert = database.prepare('insert into pet (name, category_id, status) values (?, ?, ?)')
  const insertFrom = database.transaction((first: number) => {
    for (let id = first; id < first + batch && id <= pets; id += 1) {
      const { name, categoryId, status } = dataPet(id, pets)
      insert.run(name, categoryId, status)
    }
  })
  for (let first = 1; first <= pets; first += batch) insertFrom(first)
}

function dump(path: string): void {
  const file = openSync(path, 'w')
  const pets = database.prepare<[], Omit<DataPet, 'id'>>(
    'select name, category_id as "categoryId", status from pet order by id',
  )
  let text = ''
  let rows = 0
  for (const pet of pets.iterate()) {
    text += copyLine(pet)
    rows += 1
    if (rows % ROWS_A_WRITE > 0) continue
    writeFileSync(file, text)
    text = ''
  }
  writeFileSync(file, text)
  closeSync(file)
}
