import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { type DataPet, dataPet } from '../requests/data-set.ts'

const ROWS_A_WRITE = 1_000

/** Fills a file with one prepared statement. As durable as the service: what was committed survives a power cut. */
export function fillSqlite(file: string, size: number, petsATransaction: number): void {
  const database = new Database(file)
  database.pragma('journal_mode = wal')
  database.pragma('synchronous = full')
  const insert = database.prepare('insert into pet (name, category_id, status) values (?, ?, ?)')
  const insertFrom = database.transaction((first: number) => {
    for (let id = first; id < first + petsATransaction && id <= size; id += 1) {
      const { name, categoryId, status } = dataPet(id, size)
      insert.run(name, categoryId, status)
    }
  })
  for (let first = 1; first <= size; first += petsATransaction) insertFrom(first)
  database.close()
}

/** Writes all pets to a text file with one statement that is iterated, and flushes it to the disk as our export does. */
export function dumpSqlite(file: string, path: string): void {
  const database = new Database(file)
  const output = openSync(path, 'w')
  const pets = database.prepare<[], Omit<DataPet, 'id'>>(
    'select name, category_id as "categoryId", status from pet order by id',
  )
  let text = ''
  let rows = 0
  for (const pet of pets.iterate()) {
    text += copyLine(pet)
    rows += 1
    if (rows % ROWS_A_WRITE > 0) continue
    writeFileSync(output, text)
    text = ''
  }
  writeFileSync(output, text)
  fsyncSync(output)
  closeSync(output)
  database.close()
}

/** A pet in the text format of PostgreSQL's COPY. No name of the data set holds what would have to be escaped. */
export function copyLine({ name, categoryId, status }: Omit<DataPet, 'id'>): string {
  return `${name}\t${categoryId}\t${status ?? '\\N'}\n`
}
