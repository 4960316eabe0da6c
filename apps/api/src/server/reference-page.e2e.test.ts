import { createApiKeyText } from '@pet-store/access'
import { axeFindings, type Page } from '@pet-store/testing/browser'
import { describe, expect, it } from 'vitest'
import {
  BIG,
  DESKTOP,
  INT64,
  open,
  PHONE,
  serveUnderPrefix,
  useBrowser,
  useStore,
} from '../testing/browser-pages.test-support.ts'
import { curl } from '../testing/curl.test-support.ts'

useBrowser()
const openStore = useStore(25)

describe('the samples of the reference page', () => {
  it('the samples follow the form in every language, with one header a line', async () => {
    const { page, address, key, problems } = await openReference()
    await page.selectOption('#listPets-status', 'sold')
    await page.fill('#listPets-limit', '5')
    await page.fill('#listPets-Prefer', 'handling=strict')
    const line = await sampleOf(page, 'listPets', 'shell')
    expect(line).toBe(
      [
        `curl '${address}/pets?limit=5&status=sold'`,
        `-H 'Authorization: Bearer ${key}'`,
        `-H 'Prefer: handling=strict'`,
      ].join(' \\\n  '),
    )
    expect(await curl(line)).toMatchObject({ status: 200, body: '[]' })
    expect(await sampleOf(page, 'listPets', 'typescript')).toContain(
      "client.listPets({ limit: 5, status: 'sold' }, { headers: { Prefer: 'handling=strict' } })",
    )
    await page.fill('#createPet-Idempotency-Key', 'key-1')
    await page.fill('#createPet-body', `{"name": "Rex's",\n "categoryId": ${INT64.max}}`)
    const body = `{"name":"Rex's","categoryId":${INT64.max}}`
    expect(await sampleOf(page, 'createPet', 'typescript')).toContain(
      `createPet({ name: 'Rex\\'s', categoryId: ${INT64.max}n }, { idempotencyKey: 'key-1' })`,
    )
    expect(await sampleOf(page, 'createPet', 'python')).toContain(
      `request.add_header("Idempotency-Key", "key-1")`,
    )
    expect(await sampleOf(page, 'createPet', 'go')).toContain(`strings.NewReader(\`${body}\`)`)
    await page.fill('#getPet-petId', INT64.min)
    expect(await sampleOf(page, 'getPet', 'typescript')).toContain(`client.getPet(${INT64.min}n)`)
    expect(problems).toEqual([])
  })

  it('the printed samples show no key', async () => {
    const { page, key } = await openReference()
    await page.evaluate(
      'addEventListener("beforeprint", () => { document.printed = document.body.textContent })',
    )
    await page.pdf()
    const printed = await page.evaluate('document.printed')
    expect(printed).toContain('Bearer <API_KEY>')
    expect(printed).not.toContain(key)
    expect(await sampleOf(page, 'listPets', 'shell')).toContain(key)
  })

  it('the samples are in the language that was chosen once, for every operation', async () => {
    const { page, problems } = await openReference({ viewport: { width: 1280, height: 800 } })
    // The sample above becomes longer, but the pressed tab stays where it is.
    await page.goto(`${page.url()}#createPet`)
    const python = page.locator('#createPet-sample [role=tab]:text-is("Python")')
    const topOf = async () => Math.round((await python.boundingBox())?.y ?? Number.NaN)
    const top = await topOf()
    await python.click()
    expect(await topOf()).toBe(top)
    await page.keyboard.press('ArrowRight')
    for (let visit = 0; visit < 2; visit += 1) {
      for (const operation of ['listPets', 'createPet', 'getPet']) {
        const shown = page.locator(`#${operation}-sample [role=tabpanel]:visible`)
        expect(await shown.textContent()).toContain('package main')
      }
      await page.reload()
    }
    expect(await page.locator('#listPets-sample pre:visible .code-string').count()).toBeGreaterThan(
      1,
    )
    expect(problems).toEqual([])
  })
})

describe('the form of the reference page', () => {
  it('the form shows the response digit for digit, and fills in the next cursor', async () => {
    const { page, problems } = await openReference()
    expect(await page.textContent('#listPets .about')).toContain('int32, 1 to 100, default 20')
    const body = `{"name":"\u202eRex","categoryId":${INT64.max}}`
    expect(await send(page, 'createPet', body)).toMatch(/^201 /)
    expect(await responseOf(page, 'createPet')).toContain(`"categoryId": ${INT64.max}`)
    expect(await responseOf(page, 'createPet')).toContain('"name": "\\u202eRex"')
    expect(await send(page, 'listPets')).toMatch(/^200 /)
    expect(await responseOf(page, 'listPets')).toContain(`"categoryId": ${BIG}`)
    await page.click('#listPets .next-page')
    await page.waitForSelector('#listPets .received:has-text("Pet 21")')
    expect(await page.inputValue('#listPets-cursor')).not.toBe('')
    expect(await sampleOf(page, 'listPets', 'shell')).toContain('cursor=')
    await page.click('#listPets-response [role=tab]:text-is("400")')
    expect(await responseOf(page, 'listPets')).toContain('"code": "invalid_request"')
    expect(await page.getAttribute('#listPets-limit', 'data-type')).toBe('int32')
    expect(problems).toEqual([])
  })

  it('the form sends nothing incomplete or of another type than described', async () => {
    const { page, problems } = await openReference()
    const says = async (operation: string, field: string, value: string, text: string) => {
      await page.fill(`#${operation}-${field}`, value)
      await page.click(`#${operation} .try [type=submit]`)
      await page.waitForSelector(`#${operation} .try .error:has-text("${text}")`)
      expect(await page.evaluate('document.activeElement.id')).toBe(`${operation}-${field}`)
    }
    await says('getPet', 'petId', '', 'petId is required.')
    await says('getPet', 'petId', 'one', 'petId must be an integer.')
    await says('listPets', 'limit', '101', 'limit must be from 1 to 100.')
    await says('createPet', 'body', '{"name":', 'The body is not JSON')
    expect(await axeFindings(page)).toEqual([])
    expect(problems).toEqual([])
  })

  it('the form removes an earlier response when none arrives', async () => {
    const { page } = await openReference()
    expect(await send(page, 'createPet', '{"name":"Rex","categoryId":1}')).toMatch(/^201 /)
    await page.route('**/v1/pets', (route) => route.abort())
    await page.click('#createPet [type=submit]')
    await page.waitForSelector(
      '#createPet .outcome:text-is("No response: the service cannot be reached.")',
    )
    expect(await page.locator('#createPet .received').count()).toBe(0)
    expect(await page.isVisible('#createPet-response-201')).toBe(true)
  })

  it('the form sends only a key that it was given, and fills it into the samples', async () => {
    const key = createApiKeyText()
    const { page, problems } = await open(await serveUnderPrefix(key), { viewport: PHONE })
    await followReferenceLink(page)
    expect(await sampleOf(page, 'listPets', 'shell')).toContain('Bearer <API_KEY>')
    expect(await send(page, 'listPets')).toMatch(/^401 .* Press “API key” at the top/)
    expect(problems).toEqual([
      expect.stringMatching(/^401: .*\/shop\/v1\/pets$/),
      expect.stringContaining('401 (Unauthorized)'),
    ])
    await page.click('#open-key')
    expect(await page.evaluate('document.activeElement.id')).toBe('key')
    for (let press = 0; press < 6; press += 1) {
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.closest("#open-key, main, nav")')).toBe(
        null,
      )
    }
    await page.fill('#key', `Bearer ${key}`)
    await page.keyboard.press('Enter')
    await page.waitForSelector('text=Your API key is filled in, and stays in this tab.')
    expect(await page.evaluate('document.activeElement.id')).toBe('open-key')
    expect(await sampleOf(page, 'listPets', 'shell')).toContain(`Bearer ${key}`)
    expect(await send(page, 'listPets')).toMatch(/^200 /)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
    await page.evaluate('document.documentElement.style.fontSize = "200%"')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
    await page.setViewportSize(DESKTOP)
    const about = await page.locator('#listPets .about').boundingBox()
    expect(about?.width).toBeGreaterThan(DESKTOP.width / 2)
  })
})

describe('the text of the reference page', () => {
  it('the reference shows the first operation at once, and folds up all errors', async () => {
    const { page } = await openReference()
    const top = (await page.locator('#listPets .address').boundingBox())?.y ?? Number.NaN
    expect(top).toBeLessThan(DESKTOP.height / 2)
    for (const operation of ['listPets', 'createPet', 'getPet']) {
      expect((await page.locator(`#${operation}`).boundingBox())?.height).toBeLessThan(1_300)
      expect(await page.isVisible(`#${operation} details table`)).toBe(false)
    }
    await page.click('#listPets summary')
    expect(await page.textContent('#listPets details table')).toContain('rate_limited')
    expect(await page.locator('.sidebar s').allTextContents()).toEqual(['Get a pet'])
    expect(await page.textContent('#changes')).toContain('1.0.0, not released yet')
  })

  it('the reference finds sections and error codes with Ctrl+K, each at its address', async () => {
    const { page } = await openReference()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('reused')
    await page.waitForSelector('#search-count:text-is("1 found")')
    expect(await axeFindings(page)).toEqual([])
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).hash).toBe('#error-idempotency_key_reused')
    expect(await page.isVisible('#search-dialog')).toBe(false)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('pets')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).hash).toBe('#listPets')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('cursor')
    await page.click('#search-results a')
    await expect.poll(() => new URL(page.url()).hash).toBe('#parameter-listPets-cursor')
    expect(await page.textContent(':target')).toBe('cursor')
    await page.click('#retries .anchor')
    await expect.poll(() => new URL(page.url()).hash).toBe('#retries')
  })

  it('the reference marks what is read in the contents', async () => {
    const { page } = await openReference()
    for (const link of await page.locator('.sidebar a').all()) {
      await link.click()
      await expect
        .poll(() => page.locator('.sidebar a[aria-current]').allTextContents())
        .toEqual([await link.textContent()])
    }
  })

  it.each([
    ['light', DESKTOP],
    ['dark', PHONE],
  ] as const)(
    'axe reports nothing about the reference in %s mode at %o, dialogs and responses open',
    async (colorScheme, viewport) => {
      const { page } = await openReference({ viewport, colorScheme })
      expect(await send(page, 'listPets')).toMatch(/^200 /)
      for (const summary of await page.locator('summary').all()) await summary.click()
      expect(await axeFindings(page)).toEqual([])
      await page.click('#open-key')
      expect(await axeFindings(page)).toEqual([])
    },
  )
})

async function openReference(options?: Parameters<typeof openStore>[0]) {
  const opened = await openStore(options)
  await followReferenceLink(opened.page)
  return opened
}

/** Resolves after the page's script has filled in the samples, which comes before `load`. */
async function followReferenceLink(page: Page): Promise<void> {
  await page.click('text=Reference')
  await page.waitForURL('**/docs')
}

function sampleOf(page: Page, operation: string, language: string): Promise<string> {
  return page.locator(`#${operation}-sample-${language}`).textContent() as Promise<string>
}

/** Sends the request of an operation's form; returns the status that the page shows. */
async function send(page: Page, operation: string, body?: string): Promise<string> {
  const form = page.locator(`#${operation} .try`)
  if (body !== undefined) await form.locator('textarea').fill(body)
  await form.locator('button[type=submit]').click()
  await form.locator('.outcome:text-matches("^[0-9]")').waitFor()
  return (await form.locator('.outcome').textContent()) ?? ''
}

/** The response or the example that is shown. */
function responseOf(page: Page, operation: string): Promise<string | null> {
  return page.locator(`#${operation}-response [role=tabpanel]:visible`).textContent()
}
