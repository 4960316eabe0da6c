import { expect, it } from 'vitest'
import type { PersistenceHarness } from '../harness/persistence-harness.ts'
import { withDatabasesApart } from './databases-apart.ts'

it('withDatabasesApart makes no empty database that was made beside another one', async () => {
  let databases = 0
  const { emptyDatabase, databaseBeside } = withDatabasesApart({
    open: async () => Promise.reject(new Error('It is not opened.')),
    emptyDatabase: async () => `db${++databases}`,
    databaseBeside: async (url) => `${url}0`,
  })
  await databaseBeside?.(await emptyDatabase())
  const urls: string[] = []
  while (urls.length < 10) urls.push(await emptyDatabase())
  expect(urls.slice(-3)).toEqual(['db9', 'db11', 'db12'])
})

it('withDatabasesApart empties a database again if the harness has one name for all', async () => {
  const harness: PersistenceHarness = {
    open: async () => Promise.reject(new Error('It is not opened.')),
    emptyDatabase: async () => 'db',
    databaseBeside: async () => 'db',
  }
  const { emptyDatabase, databaseBeside } = withDatabasesApart(harness)
  await databaseBeside?.('db')
  expect(await emptyDatabase()).toBe('db')
})
