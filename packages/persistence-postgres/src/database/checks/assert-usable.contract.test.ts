import { runSql } from '@pet-store/testing-postgres'
import { expect, it, onTestFinished } from 'vitest'
import { openPostgresPersistence } from '../../open-persistence.ts'
import { useDatabase } from '../../testing/temporary-database.test-support.ts'

const database = useDatabase()
const onServer = (sql: string) => runSql(database.url, sql)

it('opening rejects a database with an encoding other than UTF8', async () => {
  const name = 'pet_store_latin1'
  await onServer(`drop database if exists ${name}`)
  await onServer(`create database ${name} encoding 'LATIN1' locale 'C' template template0`)
  onTestFinished(async () => {
    await onServer(`drop database ${name} with (force)`)
  })
  const url = Object.assign(new URL(database.url), { pathname: `/${name}` }).href
  await expect(openPostgresPersistence({ url })).rejects.toThrow(
    /": its encoding is LATIN1, and names of pets need UTF8\.$/,
  )
})

it('opening rejects a database in which arrays cannot contain nulls', async () => {
  const url = new URL(database.url)
  url.searchParams.set('options', '-c array_nulls=off')
  await expect(openPostgresPersistence({ url: url.href })).rejects.toThrow(
    /": its setting array_nulls is off, and pets without a status need it on\.$/,
  )
})
