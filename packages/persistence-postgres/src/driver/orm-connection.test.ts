import type { ClientBase } from 'pg'
import { expect, it } from 'vitest'
import { ormConnectionOn } from './orm-connection.ts'

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
