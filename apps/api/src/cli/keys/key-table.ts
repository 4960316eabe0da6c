import type { ApiKey } from '@pet-store/access'
import { textTable } from '../../messages/text-table.ts'

/** A key as `keys list` shows it. */
export type ListedKey = ApiKey & {
  rotatedAt: Date | undefined
  rotatedBy: string | undefined
  state: string
}

/** The keys as a table for people. */
export function keyTable(keys: readonly ListedKey[]): string {
  return textTable([HEADING, ...keys.map(rowOf)])
}

const HEADING = [
  'ID',
  'NAME',
  'SCOPES',
  'STATE',
  'CREATED',
  'EXPIRES',
  'LAST USED',
  'ROTATED',
  'REVOKED',
]

function rowOf(key: ListedKey): string[] {
  const {
    id,
    name,
    scopes,
    state,
    createdAt,
    expiresAt,
    lastUsedAt,
    replacedBy,
    rotatedAt,
    revokedAt,
  } = key
  const expires = expiresAt === undefined ? 'never expires' : timeText(expiresAt)
  const lastUsed = lastUsedAt === undefined ? 'never' : timeText(lastUsedAt)
  const rotated =
    rotatedAt === undefined ? '-' : `${changeText(rotatedAt, key.rotatedBy)} to ${replacedBy}`
  const revoked = revokedAt === undefined ? '-' : changeText(revokedAt, key.revokedBy)
  return [
    id,
    name,
    scopes.join(' '),
    state,
    changeText(createdAt, key.createdBy),
    expires,
    lastUsed,
    rotated,
    revoked,
  ]
}

function changeText(at: Date, by: string | undefined): string {
  return by === undefined ? timeText(at) : `${timeText(at)} by ${by}`
}

/** A time to the minute, in UTC. */
export function timeText(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')}Z`
}
