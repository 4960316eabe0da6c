import { expect, it } from 'vitest'
import type { PersistenceHarness } from '../persistence-harness.ts'
import { withDatabasesApart } from './databases-apart.ts'

it('makes no empty database that was made beside another one, and is in use', async () => {
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

it('makes an empty database again under a name that the harness gives to all', async () => {
  const harness: PersistenceHarness = {
    open: async () => Promise.reject(new Error('It is not opened.')),
    emptyDatabase: async () => 'db',
    databaseBeside: async () => 'db',
  }
  const { emptyDatabase, databaseBeside } = withDatabasesApart(harness)
  await databaseBeside?.('db')
  expect(await emptyDatabase()).toBe('db')
})
