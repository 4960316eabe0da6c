/** A random UUID (RFC 9562, version 4). `crypto.randomUUID` is missing in pages that did not come by HTTPS. */
export function randomUuid(): string {
  const [time = '', middle = '', version = '', variant = '', node = ''] = [4, 2, 2, 2, 6].map(randomHex)
  const variantDigit = '89ab'[Number.parseInt(variant.slice(0, 1), 16) % 4]
  return `${time}-${middle}-4${version.slice(1)}-${variantDigit}${variant.slice(1)}-${node}`
}

function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
}
