import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import { validateNewPet } from '@pet-store/domain'
import type { Page } from 'playwright-core'
import { describe, expect, it, type TestContext } from 'vitest'
import { startChromium } from './chromium.test-support.ts'
import { API_KEY, type Service, startService } from './start-service.test-support.ts'
import { breakInTheMiddle, json, type StubAnswer, startStub, staySilent } from './start-stub.test-support.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/** What a bundler does for a page: it knows where the package is. */
const IMPORT_MAP = '<script type="importmap">{"imports":{"@pet-store/client":"/client/index.ts"}}</script>\n'

/** A name that leads to this machine, but is none that a browser trusts without HTTPS. */
const INSECURE_HOST = 'pets.test'

/** Puts the page of the README and the source of the client beside the service. */
const withPage =
  (others: Readonly<Record<string, StubAnswer>>) =>
  (app: RequestListener): RequestListener =>
  (req, res) => {
    const other = others[req.url ?? '']
    const module = /^[/]client[/]([a-z-]+[.]ts)$/.exec(req.url ?? '')?.[1]
    if (other !== undefined) {
      other(res)
    } else if (module !== undefined) {
      res.setHeader('Content-Type', 'text/javascript').end(stripTypeScriptTypes(read(module)))
    } else if (req.url === '/') {
      res.setHeader('Content-Type', 'text/html').end(IMPORT_MAP + read('browser-example.test-support.html'))
    } else {
      app(req, res)
    }
  }

/** Runs in the page; a text, since the test runner rewrites the imports of functions. */
const CALLS = `async (apiKey) => {
  const { createPetStoreClient } = await import('/client/index.ts')
  const listAt = (base, { timeout, signal } = {}) => {
    const client = createPetStoreClient({ baseUrl: new URL(base, location.href), apiKey, fetch, retries: 0, timeout })
    return client.listPets({}, { signal })
  }
  const codeOf = (error) => [error.code, error.status]
  return {
    moved: await listAt('/moved').catch(codeOf),
    silent: await listAt('/silent', { timeout: 300 }).catch(codeOf),
    broken: await listAt('/broken').catch(codeOf),
    abandoned: await listAt('/silent', { signal: AbortSignal.abort('enough') }).catch((reason) => reason),
  }
}`

interface Opened {
  readonly service: Service
  readonly page: Page
  /** What went wrong in the page. */
  readonly faults: unknown[]
}

async function openPage(context: TestContext, others: Readonly<Record<string, StubAnswer>> = {}): Promise<Opened> {
  const browser = await startChromium(context, `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`)
  const service = await startService({ around: withPage(others) })
  const page = await browser.newPage()
  const faults: unknown[] = []
  page.on('pageerror', (error) => faults.push(error))
  const { port } = new URL(service.baseUrl)
  await page.goto(`http://${INSECURE_HOST}:${port}/`)
  return { service, page, faults }
}

async function submit(page: Page, fields: Readonly<Record<string, string>>): Promise<string> {
  const output = page.locator('output')
  for (const [name, value] of Object.entries(fields)) await page.fill(`[name=${name}]`, value)
  await output.evaluate((element) => Object.assign(element, { value: '' }))
  await page.click('button')
  await page.waitForFunction('document.querySelector("output").value !== ""', undefined, { timeout: 10_000 })
  return (await output.textContent()) ?? ''
}

describe('in a browser', () => {
  it('the page of the README adds a pet and walks through all pages, exact to the last digit', async (context) => {
    const { service, page, faults } = await openPage(context)
    for (let added = 0; added < 250; added += 1) await service.pets.add(validateNewPet({ name: 'Mia', categoryId: 1n }))

    const said = await submit(page, { key: API_KEY, name: 'Rex <b>', categoryId: '-9223372036854775807' })
    expect(said).toBe('Added 251.')
    expect(await page.locator('li').allTextContents()).toEqual([
      ...Array.from({ length: 250 }, (_, index) => `${index + 1}: Mia, category 1`),
      '251: Rex <b>, category -9223372036854775807',
    ])
    expect(faults).toEqual([])
  })

  it('the page of the README says what is wrong', async (context) => {
    const { page, faults } = await openPage(context)
    expect(await submit(page, { key: 'pets_guessed', name: 'Rex', categoryId: '1' })).toMatch(/^unauthorized: /)
    expect(await submit(page, { key: API_KEY, name: ' ', categoryId: '1' })).toMatch(/^invalid_request: name must /)
    expect(faults).toEqual([])
  })

  it('the key follows no redirect, and a time-out, a broken connection and a signal are told apart', async (context) => {
    const other = await startStub(json(200, '[]', { 'Access-Control-Allow-Origin': '*' }))
    const misbehaving: Record<string, StubAnswer> = {
      '/moved/pets': (res) => res.writeHead(302, { Location: `${other.baseUrl}/pets` }).end(),
      '/silent/pets': staySilent,
      '/broken/pets': breakInTheMiddle,
    }
    const { page } = await openPage(context, misbehaving)

    expect(await page.evaluate(`(${CALLS})('${API_KEY}')`)).toEqual({
      moved: ['unexpected_answer', undefined],
      silent: ['timeout', undefined],
      broken: ['connection_failed', undefined],
      abandoned: 'enough',
    })
    expect(other.requests).toEqual([])
  })
})
