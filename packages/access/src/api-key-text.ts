import { hash, randomBytes } from 'node:crypto'

/**
 * An API key reads `pets_`, 43 characters of secret (256 random bits), 6 characters of checksum. Letters and digits
 * only, so that a double click selects it; the prefix lets secret scanners find it; the checksum tells a typing
 * error from an unknown key without asking any storage.
 */
const PREFIX = 'pets_'
const SECRET_BYTES = 32
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const API_KEY = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`)

/** Makes a new key. Nobody can know it again but whoever keeps this text. */
export function createApiKeyText(): string {
  const head = PREFIX + base62(randomBytes(SECRET_BYTES), SECRET_LENGTH)
  return head + checksum(head)
}

/** Whether a text has the form of a key and its checksum fits. Says nothing of whether the key is known. */
export function isApiKeyText(text: string): boolean {
  if (!API_KEY.test(text)) return false
  const end = text.length - CHECKSUM_LENGTH
  return checksum(text.slice(0, end)) === text.slice(end)
}

/**
 * SHA-256 of a key, in lower-case hexadecimal digits: all that is ever stored of it. A fast hash is enough, because
 * 256 random bits can't be guessed.
 */
export function hashApiKey(key: string): string {
  return hash('sha256', key)
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
