import { expect, it } from 'vitest'
import { hasLoopbackHost, isLoopback } from './loopback.ts'

it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '::1'])(
  'isLoopback accepts %s',
  (host) => {
    expect(isLoopback(host)).toBe(true)
  },
)

it.each(['', '0.0.0.0', '::', '10.0.0.1', '1270.0.1', '127.0.0.1.example', 'localhost.example'])(
  'isLoopback rejects "%s"',
  (host) => {
    expect(isLoopback(host)).toBe(false)
  },
)

it.each(['localhost', 'localhost:3000', '127.0.0.1:3000', '[::1]', '[::1]:80'])(
  'hasLoopbackHost accepts the Host %s',
  (host) => {
    expect(hasLoopbackHost({ host })).toBe(true)
  },
)

it.each([undefined, '::1', '[localhost]', 'evil.example', 'localhost:evil', '127.0.0.1:80:80'])(
  'hasLoopbackHost rejects the Host %s',
  (host) => {
    expect(hasLoopbackHost({ host })).toBe(false)
  },
)
