import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SCOPES } from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'
import { createApiKeyText, hashApiKey } from './api-key-text.ts'
import { createApiKeyUseCases } from './api-key-use-cases.ts'
import { createKeyCheck, type KeyCheck } from './key-check.ts'
import { createMemoryApiKeys } from './memory-api-keys.ts'

const LIFETIME_MS = 5000
const ADDRESS = () => '192.0.2.1'

let keys: ApiKeyRepository
let check: KeyCheck

/** Lets time pass by `Date`, which can be set back, and by `performance`, which cannot. */
const wait = (durationMs: number) => vi.advanceTimersByTime(durationMs)
const setBack = (durationMs: number) => vi.setSystemTime(Date.now() - durationMs)
const lookUpCount = () => vi.mocked(keys.findByHash).mock.calls.length
const issue = (lifetimeMs?: number) =>
  createApiKeyUseCases(keys).issueApiKey({
    name: 'kiosk',
    ...(lifetimeMs !== undefined && { lifetimeMs }),
  })
const use = async (key: string, from = ADDRESS) => check.check(key, from)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.parse('2027-01-01T12:00:00Z') })
  const memory = createMemoryApiKeys()
  keys = { ...memory, findByHash: vi.fn(memory.findByHash) }
  check = createKeyCheck({ keys, lifetimeMs: LIFETIME_MS })
})

afterEach(() => void vi.useRealTimers())

it('a valid key is looked up once for all requests that wait for it or come later', async () => {
  const { text, key } = await issue()
  const results = await Promise.all(Array.from({ length: 50 }, () => use(text)))
  expect(results).toEqual(Array.from({ length: 50 }, () => ({ keyId: key.id, scopes: SCOPES })))
  // Not a promise: nobody waits for a cached key.
  expect(check.check(text, ADDRESS)).toEqual({ keyId: key.id, scopes: SCOPES })
  expect(lookUpCount()).toBe(1)
})

it('a key with a typing error is rejected without asking the database', async () => {
  const { text } = await issue()
  for (const wrong of [
    `${text}x`,
    text.slice(0, -1),
    text.toLowerCase(),
    '',
    'pets_',
    hashApiKey(text),
  ]) {
    expect(check.check(wrong, ADDRESS)).toBeUndefined()
  }
  expect(lookUpCount()).toBe(0)
})

it('revoked, expired and unknown keys are rejected alike', async () => {
  const { text, key } = await issue()
  await keys.revoke(key.id, new Date())
  expect(await use(text)).toBeUndefined()
  const expired = await issue(1)
  wait(1)
  expect(await use(expired.text)).toBeUndefined()
  expect(await use(createApiKeyText())).toBeUndefined()
})

it('a cached key is rejected from the moment at which it expires', async () => {
  const { text } = await issue(1000)
  expect(await use(text)).toBeDefined()
  wait(999)
  expect(await use(text)).toBeDefined()
  wait(1)
  expect(await use(text)).toBeUndefined()
  expect(lookUpCount()).toBe(1)
})

it('static keys are verified without the database', async () => {
  const text = createApiKeyText()
  const staticKeys = [{ keyId: 'shop', sha256: hashApiKey(text), scopes: ['pets:read'] as const }]
  check = createKeyCheck({ keys, staticKeys, lifetimeMs: LIFETIME_MS })
  expect(check.check(text, ADDRESS)).toEqual({ keyId: 'shop', scopes: ['pets:read'] })
  expect(lookUpCount()).toBe(0)
})

it('a key check rejects while the database is unavailable, and asks it again', async () => {
  const { text } = await issue()
  vi.mocked(keys.findByHash).mockRejectedValueOnce(new Error('down'))
  await expect(use(text)).rejects.toThrow('down')
  expect(await use(text)).toBeDefined()
})

it('a revocation takes effect within the lifetime of a cached key', async () => {
  const { text, key } = await issue()
  await use(text)
  await keys.revoke(key.id, new Date())
  wait(LIFETIME_MS - 1)
  await use(text)
  wait(1)
  expect(await use(text)).toBeUndefined()
})

it.each([LIFETIME_MS / 4, LIFETIME_MS])(
  'a revocation is not delayed by a clock that is set back by %s ms',
  async (byMs) => {
    const { text, key } = await issue()
    await use(text)
    await keys.revoke(key.id, new Date())
    wait(LIFETIME_MS / 2)
    setBack(byMs)
    wait(LIFETIME_MS / 2)
    expect(await use(text)).toBeUndefined()
  },
)

it('a revocation takes effect although a slow look-up began before it', async () => {
  const { text, key } = await issue()
  const found = await keys.findByHash(hashApiKey(text))
  let respond = () => {}
  vi.mocked(keys.findByHash).mockImplementationOnce(async () => {
    await new Promise<void>((resolve) => {
      respond = resolve
    })
    return found
  })
  const before = use(text)
  await keys.revoke(key.id, new Date())
  wait(LIFETIME_MS - 1)
  const early = use(text)
  wait(1)
  const late = [use(text), use(text)]
  respond()
  expect(await before).toBeDefined()
  expect(await early).toBeDefined()
  expect(await Promise.all(late)).toEqual([undefined, undefined])
  // The two late calls have shared a look-up of their own.
  expect(lookUpCount()).toBe(3)
})

it('steady traffic never waits: a key is looked up again in the background', async () => {
  const { text } = await issue()
  await use(text)
  for (let second = 0; second < 60; second += 1) {
    wait(1000)
    expect(check.check(text, ADDRESS)).toMatchObject({ scopes: SCOPES })
    await Promise.resolve()
    await new Promise(setImmediate)
  }
  expect(lookUpCount()).toBeLessThanOrEqual(1 + 60 / 3)
})

it('a cached key is valid for its lifetime while the database is unavailable', async () => {
  const { text } = await issue()
  await use(text)
  vi.mocked(keys.findByHash).mockRejectedValue(new Error('down'))
  wait(LIFETIME_MS - 1)
  expect(await use(text)).toBeDefined()
  wait(1)
  await expect(use(text)).rejects.toThrow('down')
})

it('guessing costs 20 look-ups a second for an address, whatever the clock does', async () => {
  const results = []
  for (let count = 0; count < 1000; count += 1) results.push(await use(createApiKeyText()))
  expect(results.filter((result) => result === undefined)).toHaveLength(20)
  expect(results.filter((result) => result === 'too_many_look_ups')).toHaveLength(980)
  expect(lookUpCount()).toBe(20)
  wait(1000)
  setBack(1000)
  expect(await use(createApiKeyText())).toBeUndefined()
})

it.each(['pets_', 'secret', 'x'.repeat(40)])(
  'guessing with malformed keys such as %j is limited like any other guessing',
  async (text) => {
    const results = []
    for (let count = 0; count < 100; count += 1) results.push(await use(`${text}${count}`))
    expect(results.filter((result) => result === 'too_many_look_ups')).toHaveLength(80)
    expect(await use(createApiKeyText())).toBe('too_many_look_ups')
    expect(lookUpCount()).toBe(0)
  },
)

it('guessing static keys is limited too, except for a key that was just valid', async () => {
  const staticKeys = ['shop', 'kiosk'].map((keyId) => ({ keyId, sha256: hashApiKey(keyId) }))
  check = createKeyCheck({ keys, staticKeys, lifetimeMs: LIFETIME_MS })
  expect(await use('kiosk')).toMatchObject({ keyId: 'kiosk' })
  for (let count = 0; count < 20; count += 1) await use(`shop${count}`)
  expect(await use('shop')).toBe('too_many_look_ups')
  expect(await use('kiosk')).toMatchObject({ keyId: 'kiosk' })
  expect(await use('shop', () => '192.0.2.2')).toMatchObject({ keyId: 'shop' })
  wait(60_000)
  for (let count = 0; count < 20; count += 1) await use(`shop${count}`)
  expect(await use('kiosk')).toBe('too_many_look_ups')
  wait(1_000)
  expect(await use('kiosk')).toMatchObject({ keyId: 'kiosk' })
})

it('guessing does not affect other addresses or cached keys', async () => {
  const { text } = await issue()
  await use(text)
  for (let count = 0; count < 30; count += 1) await use(createApiKeyText())
  expect(await use(createApiKeyText())).toBe('too_many_look_ups')
  expect(await use(text)).toBeDefined()
  wait(LIFETIME_MS)
  for (let count = 0; count < 30; count += 1) await use(createApiKeyText())
  expect(await use(text)).toBeDefined()
  expect(await use(createApiKeyText(), () => '192.0.2.2')).toBeUndefined()
})

it('guessing from many addresses is limited too', async () => {
  let limited = 0
  for (let count = 0; count < 10_010; count += 1) {
    if ((await use(createApiKeyText(), () => `192.0.2.1:${count}`)) === 'too_many_look_ups')
      limited += 1
  }
  expect(limited).toBe(10)
})

it('a key check caches at most 10,000 keys, those that were looked up last', async () => {
  const texts = Array.from({ length: 10_001 }, () => createApiKeyText())
  vi.mocked(keys.findByHash).mockImplementation(async (id) => ({
    id,
    name: 'kiosk',
    scopes: [],
    createdAt: new Date(),
  }))
  for (const [index, text] of texts.entries()) await use(text, () => `192.0.2.1:${index % 1000}`)
  expect(lookUpCount()).toBe(10_001)
  for (const text of texts.slice(1)) expect(await use(text)).toBeDefined()
  expect(lookUpCount()).toBe(10_001)
  expect(await use(texts[0] ?? '')).toBeDefined()
  expect(lookUpCount()).toBe(10_002)
})

it('writeUses stores the last uses of all keys in one write, each use once', async () => {
  const markUsed = vi.spyOn(keys, 'markUsed')
  const issued = [await issue(), await issue(), await issue()]
  for (const { text } of issued) await use(text)
  wait(1000)
  for (const { text } of issued) await use(text)
  expect(markUsed).not.toHaveBeenCalled()
  await check.writeUses()
  await check.writeUses()
  expect(markUsed.mock.calls).toEqual([[issued.map(({ key }) => ({ id: key.id, at: new Date() }))]])
})

it('writeUses stores a last use the next time when the database was unavailable', async () => {
  const { text, key } = await issue()
  await use(text)
  vi.spyOn(keys, 'markUsed').mockRejectedValueOnce(new Error('down'))
  await expect(check.writeUses()).rejects.toThrow('down')
  await check.writeUses()
  expect((await keys.find(key.id))?.lastUsedAt).toEqual(new Date())
})

it('an address that has used up its look-ups is reported, at most once a minute', async () => {
  const onLookUpLimit = vi.fn()
  check = createKeyCheck({ keys, lifetimeMs: LIFETIME_MS, onLookUpLimit })
  for (let count = 0; count < 20; count += 1) await use(createApiKeyText())
  expect(onLookUpLimit).not.toHaveBeenCalled()
  for (let second = 0; second < 60; second += 1) {
    for (let count = 0; count < 21; count += 1) await use(createApiKeyText())
    wait(1000)
  }
  expect(onLookUpLimit.mock.calls).toEqual([['192.0.2.1']])
  for (let count = 0; count < 21; count += 1) await use(createApiKeyText())
  expect(onLookUpLimit).toHaveBeenCalledTimes(2)
})
