import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { startTestServer } from '../testing/start-test-server.test-support.ts'
import { clientAddressOf, clientNetwork, type TrustProxy } from './client-address.ts'

const FORWARDED = { 'X-Forwarded-For': '203.0.113.9, 198.51.100.7' }

async function logged(trustProxy?: TrustProxy, headers: Record<string, string> = FORWARDED) {
  const server = await startTestServer(trustProxy === undefined ? {} : { trustProxy })
  await server.send({ headers })
  return server.log.requests[0]?.clientAddress
}

it("the client's address in the log is the connection's unless a proxy is trusted", async () => {
  expect(await logged()).toBe('127.0.0.1')
  expect(await logged(0)).toBe('127.0.0.1')
  expect(await logged(['10.0.0.0/8'])).toBe('127.0.0.1')
})

it.each([
  [1, '198.51.100.7'],
  [2, '203.0.113.9'],
  [['loopback'], '198.51.100.7'],
  [['127.0.0.1', '198.51.100.0/24'], '203.0.113.9'],
])(
  "the client's address in the log is the one that trusted proxies name: %j",
  async (trustProxy, address) => {
    expect(await logged(trustProxy)).toBe(address)
  },
)

it.each([
  ['192.0.2.1:5678', 1, '192.0.2.1'],
  ['[2001:db8::1]:5678', 1, '2001:db8::1'],
  ['[2001:db8::1]', 1, '2001:db8::1'],
  ['2001:db8::1', 1, '2001:db8::1'],
  ['192.0.2.1:5678, 10.0.0.2:99', ['loopback', '10.0.0.0/8'], '192.0.2.1'],
] as const)(
  "the client's address in the log is forwarded as %s without the port",
  async (forwarded, trustProxy, address) => {
    expect(await logged(trustProxy, { 'X-Forwarded-For': forwarded })).toBe(address)
  },
)

it("the client's address in the log is the connection's if a proxy names none", async () => {
  expect(await logged(1, {})).toBe('127.0.0.1')
})

it.each([{}, { socket: {} }, { socket: { remoteAddress: '' } }])(
  "the client's address of an adapter without one is what a number of proxies says: %j",
  (connection) => {
    const headers = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' }
    const addressWith = (trustProxy: TrustProxy, sent: object) =>
      clientAddressOf(trustProxy)({ headers: sent, ...connection } as IncomingMessage)
    expect(addressWith(1, headers)).toBe('198.51.100.7')
    expect(addressWith(2, headers)).toBe('203.0.113.9')
    // Nobody says that the request came from one of these networks.
    expect(addressWith(['loopback', '198.51.100.0/24'], headers)).toBeFalsy()
    expect(addressWith(0, headers)).toBeFalsy()
    expect(addressWith(1, {})).toBeFalsy()
  },
)

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::3:4:5:6:7', '2001:db8:0:3'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['unknown', ''],
  // A closed connection has none.
  [undefined, ''],
])('the address %s counts as the network "%s"', (ip, network) => {
  expect(clientNetwork(ip)).toBe(network)
})
