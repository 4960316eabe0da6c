import { beforeEach, describe, expect, it, vi } from 'vitest'
import { SCOPES } from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'
import { createApiKeyText, hashApiKey } from './api-key-text.ts'
import { createApiKeyUseCases } from './api-key-use-cases.ts'
import { createKeyCheck, type KeyCheck, type KeyCheckOptions } from './key-check.ts'
import { createMemoryApiKeys } from './memory-api-keys.ts'
import { createStaticKeys } from './static-keys.ts'

const LIFETIME = 5000
const HOME = () => '192.0.2.1'

let time: number
let keys: ApiKeyRepository
let check: KeyCheck

const asked = () => vi.mocked(keys.findByHash).mock.calls.length
const issue = (lifetime?: number) =>
  createApiKeyUseCases(keys, { now: () => new Date(time) }).issueApiKey({
    name: 'kiosk',
    ...(lifetime !== undefined && { lifetime }),
  })
const use = async (key: string, from = HOME) => check.check(key, from)

function create(options: Partial<KeyCheckOptions> = {}): KeyCheck {
  return createKeyCheck({ keys, lifetime: LIFETIME, now: () => time, ...options })
}

beforeEach(() => {
  time = Date.parse('2027-01-01T12:00:00Z')
  const memory = createMemoryApiKeys()
  keys = { ...memory, findByHash: vi.fn(memory.findByHash) }
  check = create()
})

describe('A check', () => {
  it('says whose key it is and what it may do, and asks storage once', async () => {
    const { text, key } = await issue()
    expect(await use(text)).toEqual({ keyId: key.id, scopes: SCOPES })
    expect(await use(text)).toEqual({ keyId: key.id, scopes: SCOPES })
    // Without a promise: nobody waits for a key that is remembered.
    expect(check.check(text, HOME)).toEqual({ keyId: key.id, scopes: SCOPES })
    expect(asked()).toBe(1)
  })

  it('shares one look-up among all who wait for it', async () => {
    const { text, key } = await issue()
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => use(text)))
    expect(verdicts).toEqual(Array.from({ length: 50 }, () => ({ keyId: key.id, scopes: SCOPES })))
    expect(asked()).toBe(1)
  })

  it('tells a typing error from an unknown key without asking anybody', async () => {
    const { text } = await issue()
    for (const wrong of [`${text}x`, text.slice(0, -1), text.toLowerCase(), '', 'pets_', hashApiKey(text)]) {
      expect(check.check(wrong, HOME)).toBeUndefined()
    }
    expect(asked()).toBe(0)
  })

  it('refuses revoked, expired and unknown keys alike', async () => {
    const { text, key } = await issue()
    await keys.revoke(key.id, new Date(time))
    expect(await use(text)).toBeUndefined()
    expect(await use((await issue(0)).text)).toBeUndefined()
    expect(await use(createApiKeyText())).toBeUndefined()
  })

  it('refuses a remembered key from the moment at which it expires', async () => {
    const { text } = await issue(1000)
    expect(await use(text)).toBeDefined()
    time += 999
    expect(await use(text)).toBeDefined()
    time += 1
    expect(await use(text)).toBeUndefined()
    expect(asked()).toBe(1)
  })

  it('knows static keys without storage', async () => {
    const text = createApiKeyText()
    check = create({
      staticKeys: createStaticKeys([{ keyId: 'shop', sha256: hashApiKey(text), scopes: ['pets:read'] }]),
    })
    expect(check.check(text, HOME)).toEqual({ keyId: 'shop', scopes: ['pets:read'] })
    expect(asked()).toBe(0)
  })

  it('rejects when storage does not answer, and asks again the next time', async () => {
    const { text } = await issue()
    vi.mocked(keys.findByHash).mockRejectedValueOnce(new Error('down'))
    await expect(use(text)).rejects.toThrow('down')
    expect(await use(text)).toBeDefined()
  })
})

describe('A revocation', () => {
  it('takes effect everywhere within the lifetime of an answer', async () => {
    const { text, key } = await issue()
    await use(text)
    await keys.revoke(key.id, new Date(time))
    time += LIFETIME - 1
    await use(text)
    time += 1
    expect(await use(text)).toBeUndefined()
  })

  it('takes effect at once in a process that is told', async () => {
    const { text, key } = await issue()
    await use(text)
    await createApiKeyUseCases(keys, { onRevoke: check.forget }).revokeApiKey(key.id)
    expect(await use(text)).toBeUndefined()
  })

  it('is not undone by a look-up that began before', async () => {
    const { text, key } = await issue()
    const found = await keys.findByHash(hashApiKey(text))
    let answer = (_: typeof found) => {}
    vi.mocked(keys.findByHash).mockReturnValueOnce(
      new Promise((resolve) => {
        answer = resolve
      }),
    )
    const early = use(text)
    await keys.revoke(key.id, new Date(time))
    check.forget(key.id)
    answer(found)
    await early
    expect(await use(text)).toBeUndefined()
  })

  it('is not put off by a clock that is set back', async () => {
    const { text, key } = await issue()
    await use(text)
    await keys.revoke(key.id, new Date(time))
    time -= 3_600_000
    expect(await use(text)).toBeUndefined()
  })
})

describe('Steady traffic', () => {
  it('never waits: storage is asked beside it, in the second half of the lifetime', async () => {
    const { text } = await issue()
    await use(text)
    for (let second = 0; second < 60; second += 1) {
      time += 1000
      expect(check.check(text, HOME)).toMatchObject({ scopes: SCOPES })
      await Promise.resolve()
      await new Promise(setImmediate)
    }
    expect(asked()).toBeLessThanOrEqual(1 + 60 / 3)
  })

  it('goes on for the lifetime when storage is away', async () => {
    const { text } = await issue()
    await use(text)
    vi.mocked(keys.findByHash).mockRejectedValue(new Error('down'))
    time += LIFETIME - 1
    expect(await use(text)).toBeDefined()
    time += 1
    await expect(use(text)).rejects.toThrow('down')
  })
})

describe('Guessing', () => {
  it('costs 20 look-ups a second from one address, however many keys are tried', async () => {
    const verdicts = []
    for (let count = 0; count < 1000; count += 1) verdicts.push(await use(createApiKeyText()))
    expect(verdicts.filter((verdict) => verdict === undefined)).toHaveLength(20)
    expect(verdicts.filter((verdict) => verdict === 'too_many_look_ups')).toHaveLength(980)
    expect(asked()).toBe(20)
    time += 1000
    expect(await use(createApiKeyText())).toBeUndefined()
  })

  it('does not touch other addresses, nor keys that were good lately', async () => {
    const { text } = await issue()
    await use(text)
    for (let count = 0; count < 30; count += 1) await use(createApiKeyText())
    expect(await use(createApiKeyText())).toBe('too_many_look_ups')
    expect(await use(text)).toBeDefined()
    time += LIFETIME
    for (let count = 0; count < 30; count += 1) await use(createApiKeyText())
    expect(await use(text)).toBeDefined()
    expect(await use(createApiKeyText(), () => '192.0.2.2')).toBeUndefined()
  })

  it('from ever new addresses finds an end too', async () => {
    let refused = 0
    for (let count = 0; count < 10_010; count += 1) {
      if ((await use(createApiKeyText(), () => `192.0.2.1:${count}`)) === 'too_many_look_ups') refused += 1
    }
    expect(refused).toBe(10)
  })
})

describe('The memory of a check', () => {
  it('holds so many good keys, those that storage was asked for last', async () => {
    check = create({ capacity: 2 })
    const texts = []
    for (let count = 0; count < 3; count += 1) texts.push((await issue()).text)
    for (const text of texts) await use(text)
    expect(asked()).toBe(3)
    await use(texts[2] ?? '')
    await use(texts[1] ?? '')
    expect(asked()).toBe(3)
    await use(texts[0] ?? '')
    expect(asked()).toBe(4)
  })
})

describe('The last use of a key', () => {
  it('is told now and then, not while anybody waits', async () => {
    const { text, key } = await issue()
    await use(text)
    time += 1000
    await use(text)
    expect((await keys.find(key.id))?.lastUsedAt).toBeUndefined()
    await check.writeUses()
    expect((await keys.find(key.id))?.lastUsedAt).toEqual(new Date(time))
  })

  it('is told once for each use', async () => {
    const markUsed = vi.spyOn(keys, 'markUsed')
    const { text } = await issue()
    await use(text)
    await check.writeUses()
    await check.writeUses()
    expect(markUsed).toHaveBeenCalledTimes(1)
  })

  it('is told the next time where storage did not listen', async () => {
    const { text, key } = await issue()
    await use(text)
    vi.spyOn(keys, 'markUsed').mockRejectedValueOnce(new Error('down'))
    await expect(check.writeUses()).rejects.toThrow('down')
    await check.writeUses()
    expect((await keys.find(key.id))?.lastUsedAt).toEqual(new Date(time))
  })
})
