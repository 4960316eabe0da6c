import { hash, randomBytes } from 'node:crypto'

/**
 * The text of an API key is `pets_`, 43 characters of secret (256 random bits), and 6 characters of
 * checksum. It has only letters, digits and the underscore, so that a double click selects all of
 * it. Secret scanners find it by its prefix. The checksum detects a typing error without a query to
 * the database.
 */
const PREFIX = 'pets_'
const SECRET_BYTES = 32
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const API_KEY = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`)

/** Makes the text of a new key. It cannot be recovered from its hash. */
export function createApiKeyText(): string {
  const head = PREFIX + base62(randomBytes(SECRET_BYTES), SECRET_LENGTH)
  return head + checksum(head)
}

/**
 * Whether a text is formatted as a key and its checksum is correct. The key may still be unknown.
 */
export function isApiKeyText(text: string): boolean {
  if (!API_KEY.test(text)) return false
  const end = text.length - CHECKSUM_LENGTH
  return checksum(text.slice(0, end)) === text.slice(end)
}

/**
 * SHA-256 of the text of a key, in lower-case hexadecimal digits: the only thing that is stored of
 * it. A fast hash is enough, because 256 random bits cannot be guessed.
 */
export function hashApiKey(text: string): string {
  return hash('sha256', text)
}

function checksum(head: string): string {
  return base62(hash('sha256', head, 'buffer').subarray(0, 4), CHECKSUM_LENGTH)
}

function base62(bytes: Buffer, length: number): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  while (rest > 0n) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return text.padStart(length, '0')
}
