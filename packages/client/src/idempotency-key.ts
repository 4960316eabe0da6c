/**
 * Makes a key of the time and 80 random bits, in hexadecimal digits, as a UUID of version 7 has
 * them. Keys of one time lie side by side in the index of a database, which saves it half of the
 * work for a key. `crypto.randomUUID` is missing in pages that were not loaded over HTTPS.
 */
export function createIdempotencyKey(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  const bytes = crypto.getRandomValues(new Uint8Array(10))
  return time + Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Throws for a key that the service would reject. */
export function assertIdempotencyKey(key: string): void {
  // `Headers` would reject some keys too, but not name the option.
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters.')
}
