import { DriverException } from '@mikro-orm/core'
import type { ClientBase, Pool } from 'pg'
import { expect, it } from 'vitest'
import { ormConnection, ormConnectionOn } from './orm-connection.ts'

it('what the driver reports inside a transaction of the ORM is unavailable', async () => {
  const query = async () => {
    throw new Error('Query read timeout')
  }
  const connection = await ormConnectionOn({ query } as unknown as ClientBase).connect()
  await expect(connection.query('select 1', [])).rejects.toMatchObject({
    code: 'persistence_unavailable',
    outcome: 'not_stored',
  })
})

it('what the driver reports below the ORM is known as an error of the driver', async () => {
  const query = async () => {
    throw new Error('Connection terminated unexpectedly')
  }
  const pool = { waitingCount: 0, connect: async () => ({ query, release() {} }) }
  const connection = await ormConnection(pool as unknown as Pool).connect()
  await expect(connection.query('select 1', [])).rejects.toBeInstanceOf(DriverException)
})
