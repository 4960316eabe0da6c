import type { NewApiKey } from '@pet-store/access'
import { apiKeyCall, ifThere } from '../call-choices/api-key-call.ts'
import {
  ADD,
  FIND,
  FIND_BY_HASH,
  LIST,
  LIST_CHANGED_SINCE,
  MARK_USED,
  REPLACE,
  REVOKE,
} from '../call-choices/api-key-functions.ts'
import { bulkCall, ifBulkBeside } from '../call-choices/bulk-call.ts'
import { READ_API_KEYS, WRITE_API_KEYS } from '../call-choices/bulk-key-choices.ts'
import type { Choice } from '../model/model-call.ts'
import { aNewApiKey, hashOf } from '../test-data/new-api-keys.ts'
import { after } from '../test-data/times.ts'
import type { CallOf } from './call-of.ts'

const first = (name: string): NewApiKey => aNewApiKey(`${name} first`)
const second = (name: string): NewApiKey => aNewApiKey(`${name} second`)
const third = (name: string): NewApiKey => aNewApiKey(`${name} third`)
const fourth = (name: string): NewApiKey => aNewApiKey(`${name} fourth`)

const add = (opening: number, key: NewApiKey) => apiKeyCall(ADD, opening, () => [key])

export const keysBefore = (name: string): readonly Choice[] => [
  add(1, first(name)),
  add(1, second(name)),
]

/** Calls that look an API key up. */
export const keyLookUps: readonly CallOf[] = [
  (opening, name) => apiKeyCall(FIND, opening, () => [first(name).id]),
  (opening, name) => apiKeyCall(FIND_BY_HASH, opening, () => [first(name).sha256]),
  (opening, name) => apiKeyCall(FIND, opening, () => [third(name).id]),
  (opening, name) => apiKeyCall(FIND_BY_HASH, opening, () => [third(name).sha256]),
]

/** Calls that read every API key. */
export const keyLists: readonly CallOf[] = [
  (opening) => apiKeyCall(LIST, opening, () => []),
  (opening) =>
    ifThere(
      'listChangedSince',
      apiKeyCall(LIST_CHANGED_SINCE, opening, () => [after(1)]),
    ),
  () => ifBulkBeside(bulkCall(READ_API_KEYS, () => [])),
]

/** Calls that add or change API keys. */
export const keyWrites: readonly CallOf[] = [
  (opening, name) => add(opening, third(name)),
  (opening, name) => add(opening, { ...third(name), sha256: fourth(name).sha256 }),
  (opening, name) => add(opening, { ...fourth(name), sha256: third(name).sha256 }),
  (opening, name) => apiKeyCall(REPLACE, opening, () => [first(name).id, third(name), after(10)]),
  (opening, name) => apiKeyCall(REPLACE, opening, () => [first(name).id, fourth(name), after(20)]),
  (opening, name) => apiKeyCall(REPLACE, opening, () => [second(name).id, third(name), after(10)]),
  (opening, name) => apiKeyCall(REVOKE, opening, () => [first(name).id, after(5), 'Ada']),
  (opening, name) => apiKeyCall(REVOKE, opening, () => [first(name).id, after(6), undefined]),
  (opening, name) => apiKeyCall(MARK_USED, opening, () => [[{ id: first(name).id, at: after(3) }]]),
  (opening, name) =>
    apiKeyCall(MARK_USED, opening, () => [
      [first(name), second(name)].map(({ id }) => ({ id, at: after(4) })),
    ]),
]

const otherHash = (name: string) => hashOf(`${name} other`)

/** The first key gets another hash, and another name. */
export const writeOtherHash: CallOf = (_, name) =>
  ifBulkBeside(
    bulkCall(WRITE_API_KEYS, () => [
      [{ ...first(name), sha256: otherHash(name), name: `${name} renamed` }],
    ]),
  )

export const keysAfter = (name: string): readonly Choice[] => [
  ...[first, second, third, fourth].flatMap((keyOf, index) => [
    apiKeyCall(FIND, index % 2, () => [keyOf(name).id]),
    apiKeyCall(FIND_BY_HASH, 1, () => [keyOf(name).sha256]),
  ]),
  apiKeyCall(FIND_BY_HASH, 0, () => [otherHash(name)]),
]
