import { createApiKeyText, hashApiKey } from '@pet-store/access'
import { type RunningProgram, temporaryFolder, waitForOutput } from '@pet-store/testing'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { axeFindings, CHROMIUM, NO_CHROMIUM, problemsOf } from '../testing/browser.test-support.ts'
import { startPrefixProxy } from '../testing/prefix-proxy.test-support.ts'
import { runProgram, runStart } from '../testing/run-program.test-support.ts'

const DESKTOP = { width: 1280, height: 900 }
const PHONE = { width: 390, height: 844 }

// More digits than a JavaScript number holds.
const BIG = '9007199254740993'
const INT64 = { min: '-9223372036854775808', max: '9223372036854775807' }

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
    const problems = await problemsOf(page, address)
    await page.goto(`${address}/`)
    return { page, problems }
  }

  it('the first page lists, filters, pages through and adds pets with the development key', async () => {
    const { program, address, key } = await runStart(await temporaryFolder(), { LOG_LEVEL: 'error' })
    stopLater(program)
    await addPets(address, key, 45)
    const { page, problems } = await open(address.replace('/v1', ''))
    expect(await page.textContent('pre')).toBe(`curl -H "Authorization: Bearer $KEY" ${address}/pets`)

    await page.waitForSelector('text=20 pets on this page; there are more.')
    await page.click('text=Next page')
    await page.waitForSelector('td:text-is("Pet 21")')
    await page.click('text=Next page')
    await page.waitForSelector('text=5 pets')
    expect(await page.isDisabled('text=Next page')).toBe(true)
    expect(await page.locator('tbody tr').allTextContents()).toContain(`45Pet 45${BIG}available`)

    await page.selectOption('#filter', 'sold')
    await page.waitForSelector('text=There are no sold pets yet.')
    await page.fill('#name', 'Zoë 🐕')
    await page.fill('#category', INT64.min)
    await page.selectOption('#status', 'sold')
    await page.click('#add-form button')
    await page.waitForSelector('text=Added Zoë 🐕 with ID 46.')
    await page.waitForSelector(`td:text-is("${INT64.min}")`)
    expect(problems).toEqual([])
  })

  it('the first page adds one pet after the other by keyboard, and says where a pet is that it does not show', async () => {
    const { program, address } = await runStart(await temporaryFolder(), { LOG_LEVEL: 'error' })
    stopLater(program)
    const { page } = await open(address.replace('/v1', ''))
    await page.waitForSelector('text=There are no pets yet.')
    expect(await page.isVisible('text=Next page')).toBe(false)
    await page.fill('#category', '7')
    await page.focus('#name')
    for (let count = 1; count <= 20; count += 1) {
      await page.keyboard.type(`Pet ${count}`)
      await page.keyboard.press('Enter')
      await page.waitForSelector(`#add-message:text-is("Added Pet ${count} with ID ${count}.")`)
    }
    expect(await page.textContent('.added')).toBe('20Pet 207')
    await page.keyboard.type('Pet 21')
    await page.keyboard.press('Enter')
    await page.waitForSelector('text=Added Pet 21 with ID 21. It is on the last page.')
    await page.selectOption('#filter', 'sold')
    await page.waitForSelector('text=There are no sold pets yet.')
    await page.fill('#name', 'Pet 22')
    await page.click('#add-form button')
    await page.waitForSelector('text=Added Pet 22 with ID 22. The filter hides it.')
  })

  it('the first page says what is wrong with an input, and what the service rejects', async () => {
    const { program, address } = await runStart(await temporaryFolder(), { LOG_LEVEL: 'error' })
    stopLater(program)
    const { page } = await open(address.replace('/v1', ''))
    await page.waitForSelector('text=There are no pets yet.')
    await page.click('#add-form button')
    await page.waitForSelector('text=Name: enter the name of the pet.')
    await page.fill('#name', 'Rex')
    await page.fill('#category', 'one')
    await page.click('#add-form button')
    await page.waitForSelector('text=Category ID: enter a whole number, such as 1.')
    for (const tooLarge of ['9223372036854775808', '99999999999999999999']) {
      await page.fill('#category', tooLarge)
      await page.click('#add-form button')
      await page.waitForSelector(
        `text=categoryId must be an integer from ${INT64.min} to ${INT64.max}, got ${tooLarge}`,
      )
    }
    await page.fill('#category', '1')
    await page.fill('#name', 'x'.repeat(1001))
    await page.click('#add-form button')
    await page.waitForSelector('text=name must have at most 1000 characters')
    const invalid = page.locator('[aria-invalid=true]')
    expect([await invalid.count(), await invalid.getAttribute('id')]).toEqual([1, 'name'])
    expect(await page.evaluate('document.activeElement.id')).toBe('name')
    expect(await page.locator('tbody tr').count()).toBe(0)
  })

  it('the first page adds a pet once, even when the connection breaks and Add is pressed again', async () => {
    const { program, address } = await runStart(await temporaryFolder(), { LOG_LEVEL: 'error' })
    stopLater(program)
    const { page } = await open(address.replace('/v1', ''))
    await page.waitForSelector('text=There are no pets yet.')
    await page.route('**/v1/pets', async (route) => {
      // The service adds the pet, and its response is lost.
      if (route.request().method() === 'POST') await route.fetch()
      await route.abort()
    })
    await page.fill('#name', 'Rex')
    await page.fill('#category', '1')
    await page.click('#add-form button')
    await page.waitForSelector(
      'text=The service cannot be reached. Press Add to try again; the pet is added only once.',
    )
    await page.unroute('**/v1/pets')
    await page.click('#add-form button')
    await page.waitForSelector('text=Added Rex with ID 1.')
    expect(await page.locator('tbody tr').allTextContents()).toEqual(['1Rex1'])
  })

  it.each([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ])('the first page keeps numbers whole beside long names, on a %s', async (_name, viewport) => {
    const { program, address } = await runStart(await temporaryFolder(), { LOG_LEVEL: 'error' })
    stopLater(program)
    const { page } = await open(address.replace('/v1', ''), viewport)
    await page.waitForSelector('text=There are no pets yet.')
    for (const name of ['long '.repeat(200).trim(), 'x'.repeat(1000)]) {
      await page.fill('#name', name)
      await page.fill('#category', INT64.min)
      await page.selectOption('#status', 'available')
      await page.click('#add-form button')
      await page.waitForSelector(`text=/^Added ${name.slice(0, 60).trim()}/`)
    }
    // One line each, and no scrolling sideways.
    const lines = `Array.from(document.querySelectorAll('td:not([data-label=Name])'), (cell) => {
      const text = document.createRange()
      text.selectNodeContents(cell)
      return text.getClientRects().length
    })`
    expect(await page.evaluate(lines)).toEqual([1, 1, 1, 1, 1, 1])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
  })

  it('the first page asks for a key, and again for a rejected one', async () => {
    const key = createApiKeyText()
    const { page, problems } = await open(await serveUnderPrefix(key), PHONE)
    expect(await page.textContent('pre')).toContain('/shop/v1/pets')
    expect(problems).toEqual([])
    await page.fill('#key', createApiKeyText())
    await page.click('text=Show the pets')
    await page.waitForSelector('[role=alert]:visible')
    await page.fill('#key', key)
    await page.click('text=Show the pets')
    await page.waitForSelector('text=There are no pets yet.')
    expect(await page.isVisible('#key-form')).toBe(false)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
  })

  it('the reference executes operations with the development key and shows every digit and the next page', async () => {
    const { program, address, key } = await runStart(await temporaryFolder(), { LOG_LEVEL: 'error' })
    stopLater(program)
    await addPets(address, key, 25)
    const { page, problems } = await open(address.replace('/v1', ''))
    await page.click('text=Reference')
    await page.waitForSelector('text=The development key of this machine is filled in')
    expect(await execute(page, 'createPet', `{"name":"Rex","categoryId":${INT64.max}}`)).toBe('201')
    expect(await bodyOf(page, 'createPet')).toContain(`"categoryId": ${INT64.max}`)
    expect(await execute(page, 'listPets')).toBe('200')
    expect(await bodyOf(page, 'listPets')).toContain(`"categoryId": ${BIG}`)
    await page.click('.next-page')
    await page.waitForSelector(`.opblock[id$="-listPets"] .highlight-code:has-text("Pet 21")`)
    expect(problems).toEqual([])
  })

  it.each([
    ['a wide window', DESKTOP],
    ['a phone', PHONE],
  ])('the reference takes a pasted key, behind a path prefix, in %s', async (_name, viewport) => {
    const key = createApiKeyText()
    const { page, problems } = await open(await serveUnderPrefix(key), viewport)
    await page.click('text=Reference')
    await page.click('.btn.authorize')
    await page.fill('#auth-bearer-value', key)
    await page.click('.modal-ux .btn.authorize')
    await page.click('.modal-ux .btn-done')
    expect(await execute(page, 'createPet', '{"name":"Mia","categoryId":1,"status":"sold"}')).toBe('201')
    expect(await execute(page, 'listPets')).toBe('200')
    expect(await bodyOf(page, 'listPets')).toContain('"name": "Mia"')

    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
    expect(problems).toEqual([])
  })

  it('the reference searches operations, and opens an error response when it is pressed', async () => {
    const { page, problems } = await open(await serveUnderPrefix(createApiKeyText()))
    await page.click('text=Reference')
    await page.fill('#search', 'idempotency')
    await page.waitForSelector('#contents li:visible')
    expect(await page.locator('#contents li:visible').allTextContents()).toEqual(['POST Add a pet'])
    await page.fill('#search', 'no such word')
    await page.waitForSelector('text=No operation contains these words.')
    await page.fill('#search', '')
    await page.click('#contents >> text=List pets')
    await page.click('.unfold >> nth=0')
    await page.waitForSelector('text=limit must be an integer from 1 to 100')
    expect(problems).toEqual([])
  })

  it('the reference sends no key that nobody gave it', async () => {
    const { page, problems } = await open(await serveUnderPrefix(createApiKeyText()))
    await page.click('text=Reference')
    expect(await execute(page, 'listPets')).toBe('401')
    expect(problems).toEqual([
      expect.stringMatching(/^401: .*\/shop\/v1\/pets\?limit=20$/),
      expect.stringContaining('401 (Unauthorized)'),
    ])
  })

  it.each([
    ['light', DESKTOP],
    ['dark', DESKTOP],
    ['light', PHONE],
    ['dark', PHONE],
  ] as const)('axe-core finds nothing critical or serious in %s mode at %o', async (colorScheme, viewport) => {
    const { program, address, key } = await runStart(await temporaryFolder(), { LOG_LEVEL: 'error' })
    stopLater(program)
    await addPets(address, key, 21)
    const page = await browser.newPage({ viewport, colorScheme })
    onTestFinished(() => page.close())
    await page.goto(address.replace('/v1', '/'))
    await page.waitForSelector('td:text-is("Pet 1")')
    expect(await axeFindings(page)).toEqual([])
    await page.click('text=Reference')
    expect(await execute(page, 'listPets')).toBe('200')
    expect(await axeFindings(page)).toEqual([])
  })
})

async function addPets(address: string, key: string, count: number): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  for (let number = 1; number <= count; number += 1) {
    const body = `{"name":"Pet ${number}","categoryId":${BIG},"status":"available"}`
    const { status } = await fetch(`${address}/pets`, { method: 'POST', headers, body })
    expect(status).toBe(201)
  }
}

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

async function bodyOf(page: Page, operation: string): Promise<string | null> {
  return page.locator(`.opblock[id$="-${operation}"] .live-responses-table .highlight-code`).first().textContent()
}
