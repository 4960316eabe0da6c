import { crc32 } from 'node:zlib'
import { INT64, PET_STATUSES, type PetStatus } from '@pet-store/domain'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyCharacter } from '../testing/any-character.test-support.ts'
import { readCursor, writeCursor } from './cursor.ts'

const positions = fc.oneof(
  fc.bigInt({ min: INT64.min, max: INT64.max }),
  fc.constantFrom(INT64.min, INT64.max, 0n, 1n, -1n, 2n ** 53n + 1n),
)
const filters = fc.constantFrom(undefined, ...PET_STATUSES)
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** A cursor with any version and filter and the right checksum. */
function forged(version: number, filter: number, after: bigint): string {
  const bytes = Buffer.alloc(14)
  bytes[0] = version
  bytes[1] = filter
  bytes.writeBigInt64BE(after, 2)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 10)), 10)
  return bytes.toString('base64url')
}

function isAccepted(cursor: string, status: PetStatus | undefined): boolean {
  try {
    readCursor(cursor, status)
    return true
  } catch {
    return false
  }
}

it('a cursor leads back to its position, for every int64 and filter, unescaped in a URL', () => {
  fc.assert(
    fc.property(positions, filters, (after, status) => {
      const cursor = writeCursor(after, status)
      expect(readCursor(cursor, status)).toBe(after)
      expect(cursor).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    }),
  )
})

it('a cursor is rejected under every other filter; no filter is a filter of its own', () => {
  fc.assert(
    fc.property(positions, filters, filters, (after, status, other) => {
      fc.pre(status !== other)
      expect(() => readCursor(writeCursor(after, status), other)).toThrow(/another status filter/)
    }),
  )
})

it('a cursor is rejected when one character is changed, left out or added', () => {
  fc.assert(
    fc.property(positions, filters, (after, status) => {
      const cursor = writeCursor(after, status)
      for (let index = 0; index < cursor.length; index += 1) {
        const before = cursor.slice(0, index)
        const behind = cursor.slice(index + 1)
        const changes = [...BASE64URL]
          .filter((other) => other !== cursor[index])
          .map((other) => before + other + behind)
        for (const changed of [
          ...changes,
          before + behind,
          `${before}=${cursor.slice(index)}`,
          `${before} ${behind}`,
        ]) {
          if (changed !== cursor && isAccepted(changed, status))
            expect.fail(`${changed} was accepted`)
        }
      }
    }),
    { numRuns: 10 },
  )
})

it('a cursor is rejected in every other spelling of the same bytes', () => {
  const cursor = writeCursor(-1n, 'sold')
  const standard = cursor.replaceAll('-', '+').replaceAll('_', '/')
  expect(standard).not.toBe(cursor)
  for (const spelling of [
    standard,
    `${cursor}==`,
    `${cursor}=`,
    `${cursor}\n`,
    ` ${cursor}`,
    `${cursor}A`,
  ]) {
    expect(() => readCursor(spelling, 'sold')).toThrow(/^cursor /)
  }
})

it('a cursor with an unknown version or filter is rejected, even with a correct checksum', () => {
  expect(readCursor(forged(1, 0, 5n), undefined)).toBe(5n)
  for (const version of [0, 2, 3, 255]) {
    expect(() => readCursor(forged(version, 0, 5n), undefined)).toThrow(
      /not a cursor of this service/,
    )
  }
  for (const status of [undefined, ...PET_STATUSES]) {
    for (const filter of [4, 255])
      expect(() => readCursor(forged(1, filter, 5n), status)).toThrow(/^cursor /)
  }
})

it('any text that is not a cursor is rejected', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), filters, (text, status) => {
      expect(() => readCursor(text, status)).toThrow(/^cursor /)
    }),
  )
})
