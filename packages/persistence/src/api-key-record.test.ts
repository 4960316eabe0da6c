import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import {
  apiKeyFromRecord,
  apiKeyToRecord,
  replacedRecord,
  revokedRecord,
  usedRecord,
} from './api-key-record.ts'

const at = (ms: number) => new Date(ms)
const KEY = {
  id: 'key_a',
  sha256: 'f'.repeat(64),
  name: 'kiosk',
  scopes: ['pets:read', 'pets:write'],
  createdAt: at(1),
} as const

it('an API key comes back from its row without the hash', () => {
  const { sha256: _, ...key } = KEY
  expect(apiKeyFromRecord(apiKeyToRecord(KEY))).toStrictEqual(key)
  expect(apiKeyToRecord(KEY)).toMatchObject({ scopes: 'pets:read pets:write', createdAt: 1 })
})

it('a time that another realm has made, as some test runners do, is stored as a time', () => {
  const createdAt = runInNewContext('new Date(7)') as Date
  expect(apiKeyToRecord({ ...KEY, createdAt })).toMatchObject({ createdAt: 7 })
})

it('a row is replaced once, and never ends later than before', () => {
  const record = apiKeyToRecord({ ...KEY, expiresAt: at(5) })
  const replaced = replacedRecord(record, 'key_b', at(9))
  expect(replaced).toMatchObject({ expiresAt: 5, replacedBy: 'key_b' })
  expect(replacedRecord(record, 'key_b', at(3))).toMatchObject({ expiresAt: 3 })
  expect(replacedRecord(replaced ?? {}, 'key_c', at(1))).toBeUndefined()
})

it('a row keeps its first revocation and its latest use', () => {
  const revoked = revokedRecord(apiKeyToRecord(KEY), at(4), 'Ada')
  expect(revokedRecord(revoked, at(2), 'Bob')).toMatchObject({ revokedAt: 4, revokedBy: 'Ada' })
  const used = usedRecord(revoked, { id: 'key_a', at: at(7) })
  expect(usedRecord(used, { id: 'key_a', at: at(3) })).toMatchObject({ lastUsedAt: 7 })
})
