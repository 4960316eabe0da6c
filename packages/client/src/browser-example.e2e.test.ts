import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import { validateNewPet } from '@pet-store/domain'
import type { Page } from 'playwright-core'
import { describe, expect, it, type TestContext } from 'vitest'
import { startChromium } from './testing/chromium.test-support.ts'
import { API_KEY, type Service, startService } from './testing/start-service.test-support.ts'
import { breakMidway, json, neverRespond, type StubResponse, startStub } from './testing/start-stub.test-support.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/** What a bundler does for a page: it resolves the package. */
const IMPORT_MAP = '<script type="importmap">{"imports":{"@pet-store/client":"/client/index.ts"}}</script>\n'

/** A name of this machine that browsers do not trust without HTTPS. */
const INSECURE_HOST = 'pets.test'

/** Serves the page of the README and the source of the client on the origin of the service. */
const withPage =
  (others: Readonly<Record<string, StubResponse>>) =>
  (app: RequestListener): RequestListener =>
  (req, res) => {
    const other = others[req.url ?? '']
    const module = /^[/]client[/]([a-z-]+[.]ts)$/.exec(req.url ?? '')?.[1]
    if (other !== undefined) {
      other(res)
    } else if (module !== undefined) {
      res.setHeader('Content-Type', 'text/javascript').end(stripTypeScriptTypes(read(module)))
    } else if (req.url === '/') {
      res.setHeader('Content-Type', 'text/html').end(IMPORT_MAP + read('testing/browser-example.test-support.html'))
    } else {
      app(req, res)
    }
  }

/** Runs in the page; a text, since the test runner rewrites the imports of functions. */
const CALLS = `async (apiKey) => {
  const { createPetStoreClient } = await import('/client/index.ts')
  const listAt = (base, { timeoutMs, signal } = {}) => {
    const client = createPetStoreClient({ baseUrl: new URL(base, location.href), apiKey, fetch, retries: 0, timeoutMs })
    return client.listPets({}, { signal })
  }
  const codeOf = (error) => [error.code, error.status]
  return {
    moved: await listAt('/moved').catch(codeOf),
    silent: await listAt('/silent', { timeoutMs: 300 }).catch(codeOf),
    broken: await listAt('/broken').catch(codeOf),
    cancelled: await listAt('/silent', { signal: AbortSignal.abort('enough') }).catch((reason) => reason),
  }
}`

interface Opened {
  readonly service: Service
  readonly page: Page
  /** Errors that the page did not catch. */
  readonly pageErrors: unknown[]
}

async function openPage(context: TestContext, others: Readonly<Record<string, StubResponse>> = {}): Promise<Opened> {
  const browser = await startChromium(context, `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`)
  const service = await startService({ around: withPage(others) })
  const page = await browser.newPage()
  const pageErrors: unknown[] = []
  page.on('pageerror', (error) => pageErrors.push(error))
  const { port } = new URL(service.baseUrl)
  await page.goto(`http://${INSECURE_HOST}:${port}/`)
  return { service, page, pageErrors }
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
  it('the page of the README adds a pet and lists all pages with exact integers', async (context) => {
    const { service, page, pageErrors } = await openPage(context)
    for (let added = 0; added < 250; added += 1) await service.pets.add(validateNewPet({ name: 'Mia', categoryId: 1n }))

    const output = await submit(page, { key: API_KEY, name: 'Rex <b>', categoryId: '-9223372036854775807' })
    expect(output).toBe('Added 251.')
    expect(await page.locator('li').allTextContents()).toEqual([
      ...Array.from({ length: 250 }, (_, index) => `${index + 1}: Mia, category 1`),
      '251: Rex <b>, category -9223372036854775807',
    ])
    expect(pageErrors).toEqual([])
  })

  it('the page of the README shows errors', async (context) => {
    const { page, pageErrors } = await openPage(context)
    expect(await submit(page, { key: 'pets_guessed', name: 'Rex', categoryId: '1' })).toMatch(/^unauthorized: /)
    expect(await submit(page, { key: API_KEY, name: ' ', categoryId: '1' })).toMatch(/^invalid_request: name must /)
    expect(pageErrors).toEqual([])
  })

  it('a browser follows no redirect, and distinguishes timeout, broken connection and signal', async (context) => {
    const other = await startStub(json(200, '[]', { 'Access-Control-Allow-Origin': '*' }))
    const misbehaving: Record<string, StubResponse> = {
      '/moved/pets': (res) => res.writeHead(302, { Location: `${other.baseUrl}/pets` }).end(),
      '/silent/pets': neverRespond,
      '/broken/pets': breakMidway,
    }
    const { page } = await openPage(context, misbehaving)

    expect(await page.evaluate(`(${CALLS})('${API_KEY}')`)).toEqual({
      moved: ['unexpected_response', undefined],
      silent: ['timeout', undefined],
      broken: ['connection_failed', undefined],
      cancelled: 'enough',
    })
    expect(other.requests).toEqual([])
  })
})
