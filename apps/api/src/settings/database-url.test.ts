import { describe, expect, it } from 'vitest'
import { maskUrl } from './database-url.ts'
import { InvalidSettings, readSettings } from './read-settings.ts'

it.each([
  ['sqlite:', 'sqlite:'],
  ['pets.db', 'pets.db'],
  ['mysql://me:secret@host/db', 'mysql://me:***@host/db'],
  ['postgres:pets', 'postgres:pets'],
])('readSettings rejects the DATABASE_URL %s, and shows it without a password', (url, shown) => {
  const rule = 'must be sqlite: and the path of a file, or postgres://user:password@host/database'
  expect(() => readSettings({ DATABASE_URL: url })).toThrow(
    new InvalidSettings(`DATABASE_URL ${rule}, got "${shown}"`),
  )
})

it.each([
  ['postgres://a b/', 'postgres://***'],
  ['postgres://me:p@ss/word@host/pets', 'postgres://***'],
])('readSettings rejects the DATABASE_URL %s, and says how to write a password', (url, shown) => {
  expect(() => readSettings({ DATABASE_URL: url })).toThrow(
    `got "${shown}"; in a password write @ as %40, / as %2F, : as %3A, # as %23, % as %25`,
  )
})

it('readSettings rejects a DATABASE_URL without a host, and says how to name a socket', () => {
  expect(() => readSettings({ DATABASE_URL: 'postgres://me@/pets?host=/run/postgresql' })).toThrow(
    'got "postgres://me@/pets?***"; for a socket write its folder as the host, / as %2F: ' +
      'postgres://user@%2Frun%2Fpostgresql/name',
  )
})

it.each([
  ['postgres://me:a,b@one,two/pets', 'postgres://me:***@one,two/pets'],
  ['postgresql://one:5432,two:5433/pets', 'postgresql://one:5432,two:5433/pets'],
])('readSettings rejects the hosts of the DATABASE_URL %s', (url, shown) => {
  expect(() => readSettings({ DATABASE_URL: url })).toThrow(
    `DATABASE_URL must have one host, got "${shown}": ` +
      'use a name or a proxy that leads to the primary',
  )
  expect(readSettings({ DATABASE_URL: 'postgres://me:a,b@one/pets' }).databaseUrl).toContain('one')
})

it('readSettings rejects a DATABASE_URL with the parameter schema, and says what to use', () => {
  const url = 'postgres://pets@host/pets?schema='
  expect(() => readSettings({ DATABASE_URL: `${url}old%20shop` })).toThrow(
    'DATABASE_URL must not have the parameter schema, which PostgreSQL ignores; ' +
      'use options=-csearch_path%3Dold%20shop',
  )
  expect(readSettings({ DATABASE_URL: `${url}public` }).databaseUrl).toBe(`${url}public`)
})

describe('maskUrl', () => {
  it.each([
    ['sqlite:./data/pet-store.db', 'sqlite:./data/pet-store.db'],
    ['postgres://db/pets', 'postgres://db/pets'],
    ['postgres://Pets:secret@DB/pets?sslmode=require', 'postgres://Pets:***@DB/pets?***'],
    ['postgres://pets:se:cr@et@db/pets', 'postgres://pets:***@db/pets'],
    ['postgres://pets:@db/pets', 'postgres://pets:***@db/pets'],
    ['postgresql://one,two:5433/pets', 'postgresql://one,two:5433/pets'],
    ['postgres://[::1]:5433/pets', 'postgres://[::1]:5433/pets'],
    ['postgres://pets:sec/ret@db/pets', 'postgres://***'],
    ['postgres://pets:sec?ret@db/pets', 'postgres://***'],
    ['postgres://db/pets?secret', 'postgres://db/pets?***'],
    ['postgres://db/pets#secret', 'postgres://db/pets#***'],
    ['https://TOKEN@host', 'https://***@host'],
    ['https://host/TOKEN?key=TOKEN', 'https://host/***?***'],
    ['http://me:secret@collector:4318', 'http://***@collector:4318'],
    ['mysql://root:sec ret@host/db', 'mysql://root:***@host/db'],
    ['jdbc:postgresql://db/pets;password=secret', '***'],
    ['Server=db;Uid=pets;Pwd=sec ret;', '***'],
    ['sqlserver://db/pets;password=secret', 'sqlserver://***'],
    ['lmdb:/var/lib/pets', 'lmdb:/var/lib/pets'],
    ['data/pets.ndjson', 'data/pets.ndjson'],
    ['pets:secret@tcp(db)/pets', '***'],
  ])('maskUrl shows %s as %s', (url, shown) => {
    expect(maskUrl(url)).toBe(shown)
  })
})
