import type { ErrorCode } from '../response/http-error.ts'
import { API_KEY } from './start-test-server.test-support.ts'

export const KEY: string = `Authorization: Bearer ${API_KEY}\r\n`
export const HOST: string = 'Host: localhost\r\n'
export const GET: string = `GET /v1/pets HTTP/1.1\r\n${HOST}${KEY}`
const JSON_TYPE = 'Content-Type: application/json\r\n'
export const POST: string = `POST /v1/pets HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}`
export const PET: string = '{"name":"Rex","categoryId":1}'
export const GOOD_POST: string = `${POST}Content-Length: ${PET.length}\r\n\r\n${PET}`

/** The bytes that are sent, and the code of the one response, after which the connection closes. */
export const BROKEN: Readonly<Record<string, readonly [string | Buffer, ErrorCode]>> = {
  'more than 100 header fields': [`${GET}${'a:b\r\n'.repeat(99)}\r\n`, 'headers_too_large'],
  'more header fields than Node keeps, with Host after them': [
    `GET /v1/pets HTTP/1.1\r\n${'a:b\r\n'.repeat(2_000)}${HOST}\r\n`,
    'headers_too_large',
  ],
  'more than 100 header fields and an expectation': [
    `${POST}Expect: 100-continue\r\n${'a:b\r\n'.repeat(99)}\r\n`,
    'headers_too_large',
  ],
  'an invalid request line': ['HELLO\r\n\r\n', 'invalid_request'],
  'an empty method': [' /v1/pets HTTP/1.1\r\n\r\n', 'invalid_request'],
  'a method that HTTP parsers do not know': [
    `FOO /v1/pets HTTP/1.1\r\n${HOST}\r\n`,
    'not_implemented',
  ],
  'a method in lower case': [`get /v1/pets HTTP/1.1\r\n${HOST}\r\n`, 'not_implemented'],
  'an invalid version': [`GET /v1/pets HTTP/9.9\r\n${HOST}\r\n`, 'invalid_request'],
  'the version of HTTP/2': [`GET /v1/pets HTTP/2.0\r\n${HOST}${KEY}\r\n`, 'invalid_request'],
  'a version before HTTP/1': [`GET /v1/pets HTTP/0.9\r\n${HOST}${KEY}\r\n`, 'invalid_request'],
  'no version': ['GET /v1/pets\r\n\r\n', 'invalid_request'],
  'a space in the target': [`GET /v1/pets x HTTP/1.1\r\n${HOST}\r\n`, 'invalid_request'],
  'a byte beyond ASCII in the target': [
    `GET /v1/pets\xa0 HTTP/1.1\r\n${HOST}\r\n`,
    'invalid_request',
  ],
  'a backslash in the host of the target': [
    `GET http://x\\v1/pets HTTP/1.1\r\n${HOST}\r\n`,
    'invalid_request',
  ],
  'a scheme without a host in the target': [
    `GET http:/v1/pets HTTP/1.1\r\n${HOST}\r\n`,
    'invalid_request',
  ],
  'a NUL in the target': [`GET /v1/pets\0 HTTP/1.1\r\n${HOST}\r\n`, 'invalid_request'],
  'a NUL in a header': [`${GET}X: a\0b\r\n\r\n`, 'invalid_request'],
  'a space in a header name': [`${GET}X Y: a\r\n\r\n`, 'invalid_request'],
  'a header without a colon': [`${GET}XY\r\n\r\n`, 'invalid_request'],
  'a folded header': [`${GET}X: a\r\n b\r\n\r\n`, 'invalid_request'],
  'lines that end in LF alone': [`${GET.replaceAll('\r', '')}\n`, 'invalid_request'],
  'only NULs': ['\0'.repeat(100), 'invalid_request'],
  'a request line that is too long': [
    `GET /v1/pets?${'a'.repeat(16_384)} HTTP/1.1\r\n${HOST}\r\n`,
    'headers_too_large',
  ],
  'a header that is too long': [`${GET}X: ${'a'.repeat(16_384)}\r\n\r\n`, 'headers_too_large'],
  'too many headers': [
    `${GET}${'Some-Header: some value\r\n'.repeat(2_000)}\r\n`,
    'headers_too_large',
  ],
  'a header that does not end': [`${GET}X: ${'a'.repeat(5_000_000)}`, 'headers_too_large'],
  'the target * without OPTIONS': [`GET * HTTP/1.1\r\n${HOST}${KEY}\r\n`, 'invalid_request'],
  'two Authorizations': [`${GET}${KEY}\r\n`, 'invalid_request'],
  'two Content-Types': [
    `${POST}content-type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
    'invalid_request',
  ],
  'no Host': [`GET /v1/pets HTTP/1.1\r\n${KEY}\r\n`, 'invalid_request'],
  'two Hosts': [`${GET}host: other\r\n\r\n`, 'invalid_request'],
  'two equal Hosts': [`${GET}${HOST}\r\n`, 'invalid_request'],
  'two Hosts in HTTP/1.0': [`GET /v1/pets HTTP/1.0\r\n${HOST}${HOST}${KEY}\r\n`, 'invalid_request'],
  'a user in Host': ['GET /v1/pets HTTP/1.1\r\nHost: user@localhost\r\n\r\n', 'invalid_request'],
  'a path in Host': ['GET /v1/pets HTTP/1.1\r\nHost: localhost/v1\r\n\r\n', 'invalid_request'],
  'a port in Host that is not a number': [
    'GET /v1/pets HTTP/1.1\r\nHost: evil.example:localhost\r\n\r\n',
    'invalid_request',
  ],
  'two names in Host': ['GET /v1/pets HTTP/1.1\r\nHost: a, b\r\n\r\n', 'invalid_request'],
  'an open bracket in Host': ['GET /v1/pets HTTP/1.1\r\nHost: [::1\r\n\r\n', 'invalid_request'],
  'a transfer coding before chunked': [
    `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    'not_implemented',
  ],
  'a transfer coding with a parameter': [
    `${POST}Transfer-Encoding: x;q=1, chunked\r\n\r\n0\r\n\r\n`,
    'not_implemented',
  ],
  'chunks in HTTP/1.0': [
    `${POST.replace('1.1', '1.0')}Transfer-Encoding: chunked\r\n\r\n1d\r\n${PET}\r\n0\r\n\r\n`,
    'invalid_request',
  ],
  'chunked twice': [
    `${POST}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`,
    'invalid_request',
  ],
  'a transfer coding that is not a token': [
    `${POST}Transfer-Encoding: g(zip), chunked\r\n\r\n0\r\n\r\n`,
    'invalid_request',
  ],
  'an unknown expectation': [
    `${POST}Expect: tea\r\nContent-Length: 2\r\n\r\n`,
    'expectation_failed',
  ],
  'an expectation and a body': [
    `${POST}Expect: tea\r\nContent-Length: 500000\r\n\r\n${'x'.repeat(500_000)}`,
    'expectation_failed',
  ],
  'a chunk size that is not a number': [
    `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc`,
    'invalid_request',
  ],
  'a second chunk size that is not a number': [
    `${POST}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n-1\r\n`,
    'invalid_request',
  ],
  'a chunk that is longer than its size': [
    `${POST}Transfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n`,
    'invalid_request',
  ],
  'chunk extensions that are too long': [
    `${POST}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\nab\r\n`,
    'payload_too_large',
  ],
  'a bad chunk and megabytes behind it': [
    `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n${'x'.repeat(3_000_000)}`,
    'invalid_request',
  ],
  'two different lengths': [
    `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc`,
    'invalid_request',
  ],
  'two equal lengths': [
    `${POST}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
    'invalid_request',
  ],
  'a negative length': [`${POST}Content-Length: -1\r\n\r\n`, 'invalid_request'],
  'a length that is not a number': [`${POST}Content-Length: 0x2\r\n\r\n{}`, 'invalid_request'],
  'a length of 30 digits': [
    `${POST}Content-Length: ${'9'.repeat(30)}\r\n\r\n{}`,
    'invalid_request',
  ],
  'a length and a transfer encoding': [
    `${POST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'invalid_request',
  ],
  'a transfer encoding that does not end in chunked': [
    `${POST}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
    'invalid_request',
  ],
  CONNECT: [`CONNECT example.org:443 HTTP/1.1\r\n${HOST}\r\n`, 'not_found'],
  'the preface of HTTP/2': [
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
    'invalid_request',
  ],
  'the first bytes of TLS': [Buffer.from('16030100f1010000ed0303', 'hex'), 'invalid_request'],
  'a SOCKS greeting': [Buffer.from('050100', 'hex'), 'invalid_request'],
}
