import type { Pet } from '@pet-store/domain'
import { expect, it } from 'vitest'
import { digestApiKeys, digestPets } from './copy-digest.ts'

type Key = Parameters<typeof digestApiKeys>[0][number]

const REX: Pet = { id: 1n, name: 'Rex', categoryId: 7n }
const meter = { advance() {}, end() {} }

const digest = (...rows: object[]) =>
  digestPets(
    { readPets: async ({ after = 0n }) => (rows as Pet[]).filter(({ id }) => id > after).slice(0, 2) },
    2,
    meter,
  )

it.each([
  { id: 2n },
  { name: 'Rex ' },
  { name: 'rex' },
  { categoryId: -7n },
  { categoryId: 2n ** 53n + 1n },
  { status: 'sold' },
])('A pet that differs in %o has another checksum', async (fields) => {
  expect((await digest({ ...REX, ...fields })).sha256).not.toBe((await digest(REX)).sha256)
})

it('Large integers that a double cannot tell apart have different checksums', async () => {
  const [one, other] = [2n ** 53n, 2n ** 53n + 1n].map((categoryId) => ({ ...REX, categoryId }))
  expect((await digest(one ?? {})).sha256).not.toBe((await digest(other ?? {})).sha256)
})

it('No name can look like two pets', async () => {
  const two = await digest(REX, { ...REX, id: 2n })
  const one = await digest({ ...REX, name: 'Rex"\n2 7 null "Rex' })
  expect(one.sha256).not.toBe(two.sha256)
})

it('The checksum does not depend on how many batches are read', async () => {
  const rows = [1n, 2n, 3n, 4n, 5n].map((id) => ({ ...REX, id }))
  expect(await digest(...rows)).toMatchObject({ count: 5, lastId: 5n })
})

it('API keys are compared in whatever order, and without their last use', () => {
  const key = (fields: object) => ({ id: 'key_1', sha256: 'ab', ...fields }) as Key
  const [one, other] = [key({}), key({ id: 'key_2' })]
  expect(digestApiKeys([one, other])).toBe(digestApiKeys([other, key({ lastUsedAt: new Date(5) })]))
  expect(digestApiKeys([one])).not.toBe(digestApiKeys([key({ revokedAt: new Date(5) })]))
  expect(digestApiKeys([one])).not.toBe(digestApiKeys([other]))
  expect(digestApiKeys([one])).not.toBe(digestApiKeys([one, other]))
})
