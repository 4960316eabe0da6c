const GROUPS = 8
const NETWORK_GROUPS = 4

/**
 * The address by which a client is counted. Whoever has one IPv6 address usually has 2^64 of them, so only the network
 * (the first 64 bits) counts; an IPv4 address counts as it is, also when it is written as one of IPv6.
 */
export function clientNetwork(ip = ''): string {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(ip)?.[1]
  if (mapped !== undefined) return mapped
  if (!ip.includes(':')) return ip
  const [head = '', tail] = ip.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : GROUPS - before.length - after.length
  const groups = [...before, ...Array.from({ length: missing }, () => '0'), ...after]
  return groups.slice(0, NETWORK_GROUPS).join(':')
}
