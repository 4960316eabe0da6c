import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { ERROR_STATUS } from '@pet-store/http-express'
import { type RunningProgram, temporaryFolder } from '@pet-store/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CurlRequest, curlRequest } from '../testing/curl.test-support.ts'
import { type FileRequest, readHttpFile } from '../testing/http-file.test-support.ts'
import { runHere } from '../testing/run-command.test-support.ts'
import { runStart } from '../testing/run-program.test-support.ts'

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
const FILE = read('examples/pet-store.http')

describe('examples/pet-store.http', () => {
  let program: RunningProgram
  let requests: readonly FileRequest[]
  const responses = new Map<string, ReceivedResponse>()
  beforeAll(async () => {
    const folder = await temporaryFolder()
    const started = await runStart(folder)
    program = started.program
    const [, command = ''] = /pet-store (keys create .*)/.exec(FILE) ?? []
    const readingKey = (await runHere(command, folder)).stdout.trim()
    requests = readHttpFile(FILE, { address: started.address, key: started.key, readingKey })
  })
  afterAll(async () => {
    program.process.kill('SIGTERM')
    await program.ended
  })

  // In the order of the file: later requests rely on what earlier ones added.
  it.each(
    readHttpFile(FILE, {}).map(({ title, expected }, index) => ({ title, index, ...expected })),
  )(
    'the request "$title" of pet-store.http gets $status',
    async ({ title, index, status, code }) => {
      const response = await send(requests[index] as FileRequest)
      responses.set(title, response)

      expect(response.status, response.body).toBe(status)
      if (code !== undefined) expect(JSON.parse(response.body)).toMatchObject({ code, status })
      else expect(status).toBeLessThan(400)
    },
  )

  it('pet-store.http shows every error but those that its first lines name', () => {
    const [, others = ''] = /Other errors take time or a fault: ([\d, ]+)/.exec(FILE) ?? []
    const shown = requests.map(({ expected }) => expected.status).filter((status) => status >= 400)
    const all = new Set([...shown, ...others.split(', ').map(Number)])
    expect([...all].sort()).toEqual([...new Set(Object.values(ERROR_STATUS))].sort())
  })

  it('the second page of pet-store.http follows the link of its first', () => {
    const link = responses.get(titled(/^The first page/))?.headers['link']
    const target = /^<([^>]+)>; rel="next"$/.exec(String(link))?.[1]
    expect(requests.find(({ title }) => /^The second page/.test(title))?.url).toMatch(
      /\?limit=1&cursor=/,
    )
    expect(
      requests.find(({ title }) => /^The second page/.test(title))?.url.endsWith(String(target)),
    ).toBe(true)
    expect(responses.get(titled(/^The second page/))?.body).toMatch(/^\[\{"id":2,/)
  })

  it('pet-store.http gets the same pet with the same Idempotency-Key', () => {
    expect(responses.get(titled(/^Add once: the same request/))?.body).toBe(
      responses.get(titled(/^Add once, /))?.body,
    )
  })

  it('pet-store.http has every request of the README', () => {
    const inFile = readHttpFile(FILE, { key: '$KEY' }).map(({ method, url, headers, body }) => ({
      method,
      url,
      headers,
      body,
    }))
    const lines = read('README.md')
      .split('\n')
      .filter((line) => line.startsWith('curl '))
    const inReadme: readonly CurlRequest[] = lines.map((line) => curlRequest(line))
    expect(inReadme).toHaveLength(4)
    for (const request of inReadme) expect(inFile).toContainEqual(request)
  })

  function titled(pattern: RegExp): string {
    return requests.find(({ title }) => pattern.test(title))?.title ?? ''
  }
})

interface ReceivedResponse {
  readonly status: number
  readonly body: string
  readonly headers: NodeJS.Dict<string | string[]>
}

/** As an editor sends it; `fetch` would send no `Expect`. */
async function send({ method, url, headers, body }: FileRequest): Promise<ReceivedResponse> {
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
  const sent = request(url, { method, headers: { ...headers, ...length } }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, body: await text(response), headers: response.headers }
}
