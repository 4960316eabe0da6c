import { expect, it } from 'vitest'
import { openPostgresDatabase } from './database.ts'

it.for(['abc', '-1', '65536'])(
  'the port %s in a parameter of the URL is an error',
  async (port) => {
    const url = `postgres://user:secret@127.0.0.1:1/pets?port=${port}`
    await expect(openPostgresDatabase({ url })).rejects.toThrow(
      /^Cannot open the PostgreSQL database "127.0.0.1:1\/pets": the port must be .*\.$/,
    )
  },
)
