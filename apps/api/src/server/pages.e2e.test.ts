import { createApiKeyText, hashApiKey } from '@pet-store/access'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { CHROMIUM, faultsOf, NO_CHROMIUM } from '../testing/browser.test-support.ts'
import { startPrefixProxy } from '../testing/prefix-proxy.test-support.ts'
import {
  type RunningProgram,
  runProgram,
  runStart,
  temporaryFolder,
  waitForOutput,
} from '../testing/run-program.test-support.ts'

const DESKTOP = { width: 1280, height: 900 }
const PHONE = { width: 390, height: 844 }

// More digits than a JavaScript number holds.
const BIG = '9007199254740993'

describe('the pages, in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    if (CHROMIUM === undefined) console.warn(NO_CHROMIUM)
    else browser = await chromium.launch({ executablePath: CHROMIUM })
  })
  afterAll(() => browser?.close())
  beforeEach((context) => {
    if (CHROMIUM === undefined) context.skip(NO_CHROMIUM)
  })

  async function open(address: string, viewport = DESKTOP) {
    const page = await browser.newPage({ viewport })
    onTestFinished(() => page.close())
    const faults = await faultsOf(page, address)
    await page.goto(`${address}/`)
    return { page, faults }
  }

  it('lead from the address that start prints to an answer, with nothing to paste', async () => {
    const { program, address, key } = await runStart(await temporaryFolder(), { LOG_LEVEL: 'error' })
    stopLater(program)
    const { page, faults } = await open(address.replace('/v1', ''))
    expect(await page.textContent('pre')).toBe(`curl -H "Authorization: Bearer $KEY" ${address}/pets`)

    await page.click('text=Reference')
    await page.waitForSelector('text=authorised with the development key')
    expect(await execute(page, 'createPet', `{"name":"Rex","categoryId":${BIG}}`)).toBe('201')
    expect(await execute(page, 'listPets')).toBe('200')
    expect(await answerOf(page, 'listPets')).toContain('"name": "Rex"')
    await page.waitForSelector('text=round beyond 9007199254740991')

    // What was typed arrived digit for digit.
    const list = await fetch(`${address}/pets`, { headers: { Authorization: `Bearer ${key}` } })
    expect(await list.text()).toContain(`"categoryId":${BIG}`)
    expect(faults).toEqual([])
  })

  it.each([
    ['a wide window', DESKTOP],
    ['a phone', PHONE],
  ])('take a pasted key, behind a path prefix, in %s', async (_name, viewport) => {
    const key = createApiKeyText()
    const { page, faults } = await open(await serveUnderPrefix(key), viewport)
    expect(await page.textContent('pre')).toContain('/shop/v1/pets')

    await page.click('text=Reference')
    await page.click('.btn.authorize')
    await page.fill('#auth-bearer-value', key)
    await page.click('.modal-ux .btn.authorize')
    await page.click('.modal-ux .btn-done')
    expect(await execute(page, 'createPet', '{"name":"Mia","categoryId":1,"status":"sold"}')).toBe('201')
    expect(await execute(page, 'listPets')).toBe('200')
    expect(await answerOf(page, 'listPets')).toContain('"name": "Mia"')

    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
    expect(faults).toEqual([])
  })

  it('send no key that nobody gave them', async () => {
    const { page, faults } = await open(await serveUnderPrefix(createApiKeyText()))
    await page.click('text=Reference')
    expect(await execute(page, 'listPets')).toBe('401')
    expect(faults).toEqual([
      expect.stringMatching(/^401: .*\/shop\/v1\/pets\?limit=20$/),
      expect.stringContaining('401 (Unauthorized)'),
    ])
  })
})

function stopLater(program: RunningProgram): void {
  onTestFinished(async () => {
    program.process.kill('SIGTERM')
    await program.ended
  })
}

/** A service for others, published under a prefix; its address there. */
async function serveUnderPrefix(key: string): Promise<string> {
  const program = runProgram('serve', await temporaryFolder(), { API_KEYS_SHA256: hashApiKey(key) })
  stopLater(program)
  const address = await waitForOutput(program, /"address":"([^"]+)\/v1"/)
  const proxy = await startPrefixProxy(address, '/shop')
  onTestFinished(proxy.close)
  return proxy.address
}

/** Opens an operation, executes it, and gives the status that the page shows. */
async function execute(page: Page, operation: string, body?: string): Promise<string | null> {
  const block = page.locator(`.opblock[id$="-${operation}"]`)
  await block.locator('.opblock-summary-control').click()
  if (body !== undefined) await block.locator('textarea.body-param__text').fill(body)
  await block.locator('.execute').click()
  return block.locator('.live-responses-table .response-col_status').last().textContent()
}

async function answerOf(page: Page, operation: string): Promise<string | null> {
  return page.locator(`.opblock[id$="-${operation}"] .live-responses-table .highlight-code`).first().textContent()
}
