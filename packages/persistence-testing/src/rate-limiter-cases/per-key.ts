import type { CreateRateLimiter } from '@pet-store/access'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { ALIKE_TEXTS } from '../test-data/odd-texts.ts'
import { inOneWindow, LONG_MS } from './long-window.ts'

const KEY_IDS = [
  ...['key_kiosk', 'key_shop', 'KEY_KIOSK', 'key_kiosk ', 'key_', 'key_%'],
  ...['key_*', 'key_kios?', 'key.shop', 'key_[ks]hop'],
  ...ALIKE_TEXTS,
  // Addresses are counted too.
  ...[
    '2001:db8::1',
    '2001:db8::2',
    '2001:db8::',
    ...['1', '2'].map((end) => `key_${'k'.repeat(90)}${end}`),
    ...[`key_1:${LONG_MS}`, 'key_1', 'key_1:'],
  ],
]

/** Joined without a separator, two of these are the same text. */
const ALIKE = [
  ['key_1', LONG_MS],
  ['key_', Number(`1${LONG_MS}`)],
  ['0key_1', LONG_MS],
  ['key_1', 10 * LONG_MS],
  // In whole seconds these windows have the same length.
  ['key_1', LONG_MS + 1],
  ['key_1', LONG_MS + 400],
] as const

/** More than adapters remember that have a cache of a thousand. */
const MANY_KEYS = 1_200
const AT_ONCE = 50

/** Each key has a count of its own, in windows of each length. */
export const perKeyCases: readonly ContractCase<CreateRateLimiter>[] = casesOf('rate-limiter', {
  'per-key: counts each key separately': inOneWindow(async (create) => {
    const limiter = create({ requests: 1, windowMs: LONG_MS })
    for (const [request, isAllowed] of [
      ['first', true],
      ['second', false],
    ] as const) {
      const takeOf = async (index: number) => limiter.take(KEY_IDS[index] ?? '')
      const taken = await inGroups(KEY_IDS.length, takeOf)
      for (const [index, one] of taken.entries())
        expectEqual(
          one.isAllowed,
          isAllowed,
          `isAllowed of the ${request} request of ${KEY_IDS[index]}`,
        )
    }
    const take = async (index: number) => limiter.take(`many_${index}`)
    const many = await inGroups(MANY_KEYS, take, AT_ONCE)
    const denied = many.filter(({ isAllowed }) => !isAllowed)
    expectEqual(denied, [], 'the first requests of many keys that are not allowed')
    expectEqual(
      (await limiter.take('key_kiosk')).isAllowed,
      false,
      `the first key must not be allowed after ${MANY_KEYS} others`,
    )
  }),
  'concurrent-keys: counts requests of several keys that arrive at the same time for their own':
    inOneWindow(async (create) => {
      const limiter = create({ requests: 4, windowMs: LONG_MS })
      const keys = ['key_a', 'key_b', 'key_c']
      for (const [index, key] of keys.entries())
        for (let count = 0; count < 2 * index; count += 1) await limiter.take(key)
      const arrived = [...keys, ...keys]
      const taken = await Promise.all(arrived.map(async (key) => limiter.take(key)))
      for (const [key, expected] of [
        ['key_a', [3, 2]],
        ['key_b', [1, 0]],
        ['key_c', [0, 0]],
      ] as const) {
        const own = taken.filter((_, index) => arrived[index] === key)
        const remaining = own.map((one) => one.remaining).toSorted()
        expectEqual(remaining, expected.toSorted(), `remaining of two requests of ${key}`)
        const isAllowed = key !== 'key_c'
        for (const one of own) expectEqual(one.isAllowed, isAllowed, `isAllowed of ${key}`)
      }
    }),
  'per-window: counts for limits with different windows separately': inOneWindow(async (create) => {
    const limiters = [LONG_MS, 24 * LONG_MS].map((windowMs) => create({ requests: 3, windowMs }))
    for (const expected of [2, 1, 0]) {
      for (const limiter of limiters) {
        expectEqual(
          (await limiter.take('key_kiosk')).remaining,
          expected,
          'remaining with one of two limits whose windows differ',
        )
      }
    }
    const alike = ALIKE.map(([keyId, windowMs]) => {
      const limiter = create({ requests: 3, windowMs })
      return { name: `${keyId} in ${windowMs} ms`, take: async () => limiter.take(keyId) }
    })
    for (const expected of [2, 1]) {
      for (const { name, take } of alike)
        expectEqual((await take()).remaining, expected, `remaining of ${name}`)
    }
  }),
})
