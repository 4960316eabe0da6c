import { expect, it } from 'vitest'
import { digestApiKeys, digestPets } from './copy-digest.ts'

type Row = Parameters<typeof digestApiKeys>[0][number]

const once = { once_owner: null, once_key: null, once_fingerprint: null, once_at: null }
const REX = { id: 1n, name: 'Rex', category_id: 7n, status: null, ...once }
const meter = { advance() {}, end() {} }

const digest = (...rows: object[]) =>
  digestPets(
    { readPets: async (after) => (rows as (typeof REX)[]).filter(({ id }) => id > after).slice(0, 2) },
    2,
    meter,
  )

it.each([
  { id: 2n },
  { name: 'Rex ' },
  { name: 'rex' },
  { category_id: -7n },
  { category_id: 2n ** 53n + 1n },
  { status: 'sold' },
])('A pet that differs in %o has another checksum', async (fields) => {
  expect((await digest({ ...REX, ...fields })).sha256).not.toBe((await digest(REX)).sha256)
})

it('Large integers that a double cannot tell apart have different checksums', async () => {
  const [one, other] = [2n ** 53n, 2n ** 53n + 1n].map((category_id) => ({ ...REX, category_id }))
  expect((await digest(one ?? {})).sha256).not.toBe((await digest(other ?? {})).sha256)
})

it('No name can look like two pets', async () => {
  const two = await digest(REX, { ...REX, id: 2n })
  const one = await digest({ ...REX, name: 'Rex"\n2 7 null "Rex' })
  expect(one.sha256).not.toBe(two.sha256)
})

it('What a pet was created under does not count, nor in how many batches it is read', async () => {
  const rows = [1n, 2n, 3n, 4n, 5n].map((id) => ({ ...REX, id }))
  const noted = rows.map((row) => ({ ...row, once_owner: 'shop', once_key: 'k', once_at: 1n }))
  expect(await digest(...rows)).toEqual(await digest(...noted))
  expect(await digest(...rows)).toMatchObject({ count: 5, lastId: 5n })
})

it('API keys are compared in whatever order, and without their last use', () => {
  const key = (fields: object) =>
    ({ id: 'key_1', sha256: 'ab', revoked_at: null, last_used_at: null, ...fields }) as Row
  const [one, other] = [key({}), key({ id: 'key_2' })]
  expect(digestApiKeys([one, other])).toBe(digestApiKeys([other, key({ last_used_at: 5n })]))
  expect(digestApiKeys([one])).not.toBe(digestApiKeys([key({ revoked_at: 5n })]))
  expect(digestApiKeys([one])).not.toBe(digestApiKeys([other]))
  expect(digestApiKeys([one])).not.toBe(digestApiKeys([one, other]))
})
