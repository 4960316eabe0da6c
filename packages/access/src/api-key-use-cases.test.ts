import { describe, expect, it, vi } from 'vitest'
import { apiKeyState } from './api-key.ts'
import { hashApiKey, isApiKeyText } from './api-key-text.ts'
import { createApiKeyUseCases } from './api-key-use-cases.ts'
import { createMemoryApiKeys } from './memory-api-keys.ts'

const NOON = new Date('2027-01-01T12:00:00Z')
const DAY = 24 * 60 * 60 * 1000
const daysLater = (days: number) => new Date(NOON.getTime() + days * DAY)

function setUp() {
  const keys = createMemoryApiKeys()
  let time = NOON
  const onRevoke = vi.fn()
  const useCases = createApiKeyUseCases(keys, { now: () => time, onRevoke })
  return {
    keys,
    onRevoke,
    ...useCases,
    goTo(days: number) {
      time = daysLater(days)
    },
  }
}

describe('Issuing', () => {
  it('shows the key once and stores its hash', async () => {
    const { issueApiKey, listApiKeys, keys } = setUp()
    const { text, key } = await issueApiKey({ name: 'kiosk' })
    expect(isApiKeyText(text)).toBe(true)
    expect(key).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{16}$/),
      sha256: hashApiKey(text),
      name: 'kiosk',
      scopes: ['pets:read', 'pets:write'],
      createdAt: NOON,
    })
    expect(await keys.findByHash(key.sha256)).toEqual((await listApiKeys())[0])
    expect(JSON.stringify(await listApiKeys())).not.toContain(text)
  })

  it('makes two keys of two equal drafts', async () => {
    const { issueApiKey } = setUp()
    const [one, other] = [await issueApiKey({ name: 'kiosk' }), await issueApiKey({ name: 'kiosk' })]
    expect(one.text).not.toBe(other.text)
    expect(one.key.id).not.toBe(other.key.id)
  })

  it('reduces the scopes and limits the lifetime when told to', async () => {
    const { issueApiKey } = setUp()
    const { key } = await issueApiKey({ name: 'kiosk', scopes: ['pets:write', 'pets:write'], lifetime: DAY })
    expect(key).toMatchObject({ scopes: ['pets:write'], expiresAt: daysLater(1) })
  })

  it.each([
    ['an empty name', { name: '' }],
    ['a blank name', { name: '  ' }],
    ['a name of two lines', { name: 'a\nb' }],
    ['a name that could colour a terminal', { name: '\u001B[31mred' }],
    ['a name of 101 characters', { name: '🐾'.repeat(101) }],
    ['no scope', { name: 'kiosk', scopes: [] }],
    ['an unknown scope', { name: 'kiosk', scopes: ['pets:eat' as 'pets:read'] }],
    ['a negative lifetime', { name: 'kiosk', lifetime: -1 }],
    ['a lifetime beyond all dates', { name: 'kiosk', lifetime: 1e20 }],
    ['a lifetime that is no number', { name: 'kiosk', lifetime: Number.NaN }],
  ])('refuses %s and stores nothing', async (_, draft) => {
    const { issueApiKey, listApiKeys } = setUp()
    await expect(issueApiKey(draft)).rejects.toMatchObject({ name: 'AccessError', code: 'api_key_invalid' })
    expect(await listApiKeys()).toEqual([])
  })
})

describe('Rotating', () => {
  it('issues a successor with the same name and scopes, and lets the old key live for the overlap', async () => {
    const { issueApiKey, rotateApiKey, keys } = setUp()
    const old = await issueApiKey({ name: 'kiosk', scopes: ['pets:read'] })
    const { text, key } = await rotateApiKey(old.key.id, DAY)
    expect(key).toMatchObject({ name: 'kiosk', scopes: ['pets:read'], sha256: hashApiKey(text) })
    expect(key).not.toHaveProperty('expiresAt')
    expect(await keys.findByHash(old.key.sha256)).toMatchObject({ expiresAt: daysLater(1), replacedBy: key.id })
  })

  it('gives the successor the lifetime that the old key had', async () => {
    const { issueApiKey, rotateApiKey, goTo } = setUp()
    const old = await issueApiKey({ name: 'kiosk', lifetime: 90 * DAY })
    goTo(80)
    expect((await rotateApiKey(old.key.id, 0)).key.expiresAt).toEqual(daysLater(170))
  })

  it('ends the old key at once without an overlap', async () => {
    const { issueApiKey, rotateApiKey, keys } = setUp()
    const old = await issueApiKey({ name: 'kiosk' })
    await rotateApiKey(old.key.id, 0)
    const found = await keys.find(old.key.id)
    expect(found && apiKeyState(found, NOON)).toBe('expired')
  })

  it('is refused for a key that is unknown, revoked, expired or was rotated', async () => {
    const { issueApiKey, rotateApiKey, revokeApiKey, listApiKeys, goTo } = setUp()
    await expect(rotateApiKey('key_x', DAY)).rejects.toMatchObject({ code: 'api_key_not_found' })
    const revoked = (await issueApiKey({ name: 'revoked' })).key.id
    await revokeApiKey(revoked)
    await expect(rotateApiKey(revoked, DAY)).rejects.toThrow(`The key ${revoked} is revoked.`)
    const expired = (await issueApiKey({ name: 'expired', lifetime: DAY })).key.id
    const rotated = (await issueApiKey({ name: 'rotated' })).key.id
    const successor = (await rotateApiKey(rotated, DAY)).key.id
    await expect(rotateApiKey(rotated, DAY)).rejects.toThrow(`was rotated already by ${successor}.`)
    goTo(1)
    await expect(rotateApiKey(expired, DAY)).rejects.toMatchObject({ code: 'api_key_not_active' })
    expect(await listApiKeys()).toHaveLength(4)
  })

  it('has one winner when two rotate at the same time', async () => {
    const { issueApiKey, rotateApiKey, listApiKeys } = setUp()
    const { key } = await issueApiKey({ name: 'kiosk' })
    const outcomes = await Promise.allSettled([rotateApiKey(key.id, DAY), rotateApiKey(key.id, DAY)])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(outcomes).toContainEqual(
      expect.objectContaining({ reason: expect.objectContaining({ code: 'api_key_replaced' }) }),
    )
    expect(await listApiKeys()).toHaveLength(2)
  })
})

describe('Revoking', () => {
  it('ends a key for good, and tells this process', async () => {
    const { issueApiKey, revokeApiKey, onRevoke, keys } = setUp()
    const { key } = await issueApiKey({ name: 'kiosk' })
    await revokeApiKey(key.id)
    await revokeApiKey(key.id)
    const found = await keys.find(key.id)
    expect(found && apiKeyState(found, NOON)).toBe('revoked')
    expect(onRevoke).toHaveBeenCalledWith(key.id)
  })

  it('says that there is no such key', async () => {
    const { revokeApiKey, onRevoke } = setUp()
    await expect(revokeApiKey('key_x')).rejects.toMatchObject({ code: 'api_key_not_found' })
    expect(onRevoke).not.toHaveBeenCalled()
  })
})

describe('The state of a key', () => {
  const key = { id: 'key_1', name: 'kiosk', scopes: [], createdAt: NOON }

  it.each([
    ['active', {}],
    ['active', { expiresAt: daysLater(1) }],
    ['expired', { expiresAt: NOON }],
    ['expired', { expiresAt: daysLater(-1) }],
    ['revoked', { revokedAt: NOON }],
    ['revoked', { revokedAt: NOON, expiresAt: daysLater(-1) }],
  ])('is %s', (state, fields) => {
    expect(apiKeyState({ ...key, ...fields }, NOON)).toBe(state)
  })
})
