import { createApiKeyUseCases } from '@pet-store/access'
import { createMemoryApiKeys } from '@pet-store/access/memory'
import { expect, it } from 'vitest'
import { createKeyChanges, type KeyChange } from './key-changes.ts'

function setUp() {
  const keys = createMemoryApiKeys()
  const times = { now: 0 }
  const as = (by: string) => createApiKeyUseCases(keys, { by, now: () => new Date(times.now) })
  const reported: KeyChange[] = []
  times.now = 100
  const reportChanges = createKeyChanges(
    keys,
    (change) => reported.push(change),
    () => new Date(times.now),
  )
  return { keys, as, times, reported, reportChanges }
}

it('key changes say who created, rotated and revoked a key, each change once', async () => {
  const { as, times, reported, reportChanges } = setUp()
  times.now = 100
  const { key } = await as('Ada').issueApiKey({ name: 'kiosk' })
  await reportChanges()
  await reportChanges()
  times.now = 200
  const { key: successor } = await as('Bob').rotateApiKey(key.id, 0)
  times.now = 300
  await as('Eve').revokeApiKey(successor.id)
  await reportChanges()
  await reportChanges()
  expect(reported).toEqual([
    { change: 'created', keyId: key.id, name: 'kiosk', at: new Date(100), by: 'Ada' },
    {
      change: 'rotated',
      keyId: key.id,
      name: 'kiosk',
      at: new Date(200),
      by: 'Bob',
      replacedBy: successor.id,
    },
    { change: 'revoked', keyId: successor.id, name: 'kiosk', at: new Date(300), by: 'Eve' },
  ])
})

it('key changes are reported from the start on, even of a machine with a slow clock', async () => {
  const { as, keys, times, reported, reportChanges } = setUp()
  times.now = 99
  const { key } = await as('Ada').issueApiKey({ name: 'old' })
  await reportChanges()
  expect(reported).toEqual([])
  await keys.revoke(key.id, new Date(98))
  await reportChanges()
  expect(reported).toEqual([{ change: 'revoked', keyId: key.id, name: 'old', at: new Date(98) }])
})

it('a key change is reported in the next call when keys could not be read', async () => {
  const { as, keys, times, reported } = setUp()
  let isUnavailable = true
  const list = () => (isUnavailable ? Promise.reject(new Error('down')) : keys.list())
  const reportChanges = createKeyChanges(
    { list },
    (change) => reported.push(change),
    () => new Date(100),
  )
  times.now = 100
  await as('Ada').issueApiKey({ name: 'kiosk' })
  await expect(reportChanges()).rejects.toThrow('down')
  isUnavailable = false
  await reportChanges()
  expect(reported).toMatchObject([{ change: 'created', by: 'Ada' }])
})

it('key changes are read since an hour before the last successful read', async () => {
  const { keys, times } = setUp()
  const sinceMs: (number | undefined)[] = []
  let isUnavailable = false
  const listChangedSince = (time: Date) => {
    sinceMs.push(time.getTime())
    return isUnavailable ? Promise.reject(new Error('down')) : keys.list()
  }
  const hours = (count: number) => count * 3_600_000
  times.now = hours(10)
  const reportChanges = createKeyChanges(
    { ...keys, listChangedSince },
    () => {},
    () => new Date(times.now),
  )
  for (times.now of [hours(10), hours(11), hours(12)]) await reportChanges()
  isUnavailable = true
  for (times.now of [hours(13), hours(15)]) await expect(reportChanges()).rejects.toThrow('down')
  isUnavailable = false
  // The clock was set back.
  for (times.now of [hours(16), hours(3), hours(4)]) await reportChanges()
  expect(sinceMs).toEqual([9, 9, 10, 11, 11, 11, 15, 9].map(hours))
})

it('a key change is not reported again when the clock is set back by some hours', async () => {
  const { as, keys, times, reported } = setUp()
  const hours = (count: number) => count * 3_600_000
  times.now = hours(10)
  const reportChanges = createKeyChanges(
    keys,
    (change) => reported.push(change),
    () => new Date(times.now),
  )
  await reportChanges()
  times.now = hours(11)
  await as('Ada').issueApiKey({ name: 'kiosk' })
  for (times.now of [hours(11), hours(20), hours(12), hours(13)]) await reportChanges()
  expect(reported).toMatchObject([{ change: 'created', by: 'Ada' }])
})
