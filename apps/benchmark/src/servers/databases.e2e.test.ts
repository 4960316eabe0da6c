import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { expect, it } from 'vitest'
import { type DataPet, dataPet } from '../requests/data-set.ts'
import { DATABASES } from './contestants.ts'
import { openDatabases } from './databases.ts'

const SIZE = 2_000
const READ = `select id, name, cast(category_id as double precision) as "categoryId", status from pet order by id`

it.each(DATABASES)('fills a database with the data set: %s', async (database) => {
  const databases = await openDatabases(database, SIZE)
  try {
    const { url, countPets } = await databases.create('filled')
    const pets = await read(url)
    expect(pets.map((pet) => ({ ...pet, id: Number(pet.id) }))).toEqual(
      Array.from({ length: SIZE }, (_, index) => dataPet(index + 1, SIZE)),
    )
    expect(await countPets()).toBe(SIZE)
  } finally {
    await databases.close()
  }
})

async function read(url: string): Promise<DataPet[]> {
  if (url.startsWith('sqlite:')) {
    const sqlite = new Sqlite(url.slice('sqlite:'.length))
    const pets = sqlite.prepare<[], DataPet>(READ).all()
    sqlite.close()
    return pets
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<DataPet>(READ)
  await client.end()
  return rows
}
