import { expect, it } from 'vitest'
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
  const goTo = (days: number) => {
    time = daysLater(days)
  }
  return { keys, goTo, ...createApiKeyUseCases(keys, { now: () => time }) }
}

it('issuing shows the key once, stores its hash, and makes another key each time', async () => {
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
  const second = await issueApiKey({ name: 'kiosk' })
  expect([text, key.id]).not.toContain(second.text)
  expect([text, key.id]).not.toContain(second.key.id)
})

it('issuing accepts fewer scopes and a lifetime', async () => {
  const { issueApiKey } = setUp()
  const { key } = await issueApiKey({
    name: 'kiosk',
    scopes: ['pets:write', 'pets:write'],
    lifetimeMs: DAY,
  })
  expect(key).toMatchObject({ scopes: ['pets:write'], expiresAt: daysLater(1) })
})

const NAME_RULE = 'must have 1 to 100 characters without control characters, and not be blank'
const SCOPE_RULE = 'A key must have at least one of the scopes pets:read, pets:write, and no other'

it.each([
  ['an empty name', { name: '' }, `The name of a key ${NAME_RULE}, got "".`],
  ['a blank name', { name: '  ' }, `The name of a key ${NAME_RULE}, got "  ".`],
  ['a name of two lines', { name: 'a\nb' }, `The name of a key ${NAME_RULE}, got "a\\nb".`],
  [
    'a name that could colour a terminal',
    { name: '\u001B[31mred' },
    `The name of a key ${NAME_RULE}, got "\\u001b[31mred".`,
  ],
  [
    'a name of 101 characters',
    { name: '🐾'.repeat(101) },
    `The name of a key ${NAME_RULE}, got "${'🐾'.repeat(60)}…".`,
  ],
  ['no scope', { name: 'kiosk', scopes: [] }, `${SCOPE_RULE}, got none.`],
  [
    'an unknown scope',
    { name: 'kiosk', scopes: ['pets:eat' as 'pets:read'] },
    `${SCOPE_RULE}, got "pets:eat".`,
  ],
  [
    'a lifetime of 0',
    { name: 'kiosk', lifetimeMs: 0 },
    'The lifetime of a key must be longer than 0 ms, got 0 ms.',
  ],
  [
    'a negative lifetime',
    { name: 'kiosk', lifetimeMs: -1 },
    'The lifetime of a key must be longer than 0 ms, got -1 ms.',
  ],
  [
    'a lifetime beyond all dates',
    { name: 'kiosk', lifetimeMs: 1e20 },
    'A key must end before the year 275760, got 100000000000000000000 ms from now.',
  ],
  [
    'a lifetime that is no number',
    { name: 'kiosk', lifetimeMs: Number.NaN },
    'The lifetime of a key must be longer than 0 ms, got NaN ms.',
  ],
])(
  'issuing rejects %s with the rule and the value, and stores nothing',
  async (_, input, message) => {
    const { issueApiKey, listApiKeys } = setUp()
    await expect(issueApiKey(input)).rejects.toMatchObject({
      name: 'AccessError',
      code: 'api_key_invalid',
      message,
    })
    expect(await listApiKeys()).toEqual([])
  },
)

it('rotating issues a key with the same name and scopes, and ends the old one later', async () => {
  const { issueApiKey, rotateApiKey, keys } = setUp()
  const old = await issueApiKey({ name: 'kiosk', scopes: ['pets:read'] })
  const { text, key } = await rotateApiKey(old.key.id, DAY)
  expect(key).toMatchObject({ name: 'kiosk', scopes: ['pets:read'], sha256: hashApiKey(text) })
  expect(key).not.toHaveProperty('expiresAt')
  expect(await keys.findByHash(old.key.sha256)).toMatchObject({
    expiresAt: daysLater(1),
    replacedBy: key.id,
  })
})

it('rotating keeps the lifetime, and an overlap of 0 ends the old key at once', async () => {
  const { issueApiKey, rotateApiKey, goTo, keys } = setUp()
  const old = await issueApiKey({ name: 'kiosk', lifetimeMs: 90 * DAY })
  goTo(80)
  expect((await rotateApiKey(old.key.id, 0)).key.expiresAt).toEqual(daysLater(170))
  const found = await keys.find(old.key.id)
  expect(found && apiKeyState(found, daysLater(80))).toBe('expired')
})

it('rotating rejects a key that is unknown, revoked, expired or was rotated', async () => {
  const { issueApiKey, rotateApiKey, revokeApiKey, listApiKeys, goTo } = setUp()
  await expect(rotateApiKey('key_x', DAY)).rejects.toMatchObject({ code: 'api_key_not_found' })
  const revoked = (await issueApiKey({ name: 'revoked' })).key.id
  await revokeApiKey(revoked)
  await expect(rotateApiKey(revoked, DAY)).rejects.toThrow(`The key ${revoked} is revoked.`)
  const expired = (await issueApiKey({ name: 'expired', lifetimeMs: DAY })).key.id
  const rotated = (await issueApiKey({ name: 'rotated' })).key.id
  const successor = (await rotateApiKey(rotated, DAY)).key.id
  await expect(rotateApiKey(rotated, DAY)).rejects.toThrow(
    `The key ${rotated} was already rotated. Rotate its successor ${successor} instead.`,
  )
  goTo(1)
  await expect(rotateApiKey(expired, DAY)).rejects.toMatchObject({ code: 'api_key_not_active' })
  expect(await listApiKeys()).toHaveLength(4)
})

it.each([-1, Number.NaN, 1e20])(
  'rotating rejects an overlap of %s and changes nothing',
  async (overlapMs) => {
    const { issueApiKey, rotateApiKey, listApiKeys } = setUp()
    const { key } = await issueApiKey({ name: 'kiosk' })
    await expect(rotateApiKey(key.id, overlapMs)).rejects.toMatchObject({ code: 'api_key_invalid' })
    expect(await listApiKeys()).toHaveLength(1)
  },
)

it('exactly one of two rotations of a key at the same time succeeds', async () => {
  const { issueApiKey, rotateApiKey, listApiKeys } = setUp()
  const { key } = await issueApiKey({ name: 'kiosk' })
  const outcomes = await Promise.allSettled([rotateApiKey(key.id, DAY), rotateApiKey(key.id, DAY)])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(outcomes).toContainEqual(
    expect.objectContaining({ reason: expect.objectContaining({ code: 'api_key_replaced' }) }),
  )
  expect(await listApiKeys()).toHaveLength(2)
})

it.each([
  ['active', {}],
  ['active', { expiresAt: daysLater(1) }],
  ['expired', { expiresAt: NOON }],
  ['expired', { expiresAt: daysLater(-1) }],
  ['revoked', { revokedAt: NOON, expiresAt: daysLater(-1) }],
])('the state of a key is %s', (state, fields) => {
  expect(
    apiKeyState({ id: 'key_1', name: 'kiosk', scopes: [], createdAt: NOON, ...fields }, NOON),
  ).toBe(state)
})

it('each change stores who made it', async () => {
  const { keys, issueApiKey, revokeApiKey, listApiKeys } = setUp()
  const as = (by: string) => createApiKeyUseCases(keys, { by, now: () => NOON })
  const { key } = await as('Ada').issueApiKey({ name: 'kiosk' })
  const { key: successor } = await as('Bob').rotateApiKey(key.id, DAY)
  await as('Eve').revokeApiKey(successor.id)
  // Revoking again changes nothing.
  await as('Mallory').revokeApiKey(successor.id)
  await expect(revokeApiKey('key_x')).rejects.toMatchObject({ code: 'api_key_not_found' })
  const { key: other } = await issueApiKey({ name: 'nobody is named' })
  expect(await listApiKeys()).toMatchObject([
    { id: key.id, createdBy: 'Ada', replacedBy: successor.id },
    { id: successor.id, createdBy: 'Bob', revokedAt: NOON, revokedBy: 'Eve' },
    { id: other.id },
  ])
  expect(other).not.toHaveProperty('createdBy')
})

it.each(['', ' ', 'a\nb', '\u001B[31mred', 'x'.repeat(101)])(
  'a change by somebody named %j is rejected, and changes nothing',
  async (by) => {
    const { keys, issueApiKey, listApiKeys } = setUp()
    const { key } = await issueApiKey({ name: 'kiosk' })
    const before = await listApiKeys()
    const invalidUser = createApiKeyUseCases(keys, { by })
    const changes = [
      () => invalidUser.issueApiKey({ name: 'other' }),
      () => invalidUser.rotateApiKey(key.id, 0),
      () => invalidUser.revokeApiKey(key.id),
    ]
    for (const change of changes)
      await expect(change()).rejects.toMatchObject({ code: 'api_key_invalid' })
    expect(await listApiKeys()).toEqual(before)
  },
)
