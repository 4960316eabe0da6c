import { createApiKeyText } from '@pet-store/access'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { axeFindings } from '../testing/browser.test-support.ts'
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

describe('the reference page', () => {
  it('shows the first operation at once, and an operation with its response on less than two screens', async () => {
    const { page, problems } = await openStore()
    await page.click('text=Reference')
    await page.waitForSelector('text=The development key of this machine is filled in')
    const top = (await page.locator('#listPets .address').boundingBox())?.y ?? Number.NaN
    expect(top).toBeLessThan(DESKTOP.height / 2)
    await page.waitForSelector('#createPet .headers:text-is("201, an example")')
    expect(JSON.parse((await bodyOf(page, 'createPet')) ?? '')).toMatchObject({
      name: 'Rex',
      categoryId: 1,
    })
    expect(await page.textContent('#listPets .about')).toContain('int32, 1 to 100, default 20')
    expect(await send(page, 'createPet', `{"name":"Rex","categoryId":${INT64.max}}`)).toMatch(
      /^201 /,
    )
    expect(await bodyOf(page, 'createPet')).toContain(`"categoryId": ${INT64.max}`)
    expect(await send(page, 'listPets')).toMatch(/^200 /)
    expect(await bodyOf(page, 'listPets')).toContain(`"categoryId": ${BIG}`)
    await page.click('#listPets .next-page')
    await page.waitForSelector('#listPets .body:has-text("Pet 21")')
    for (const operation of ['listPets', 'createPet', 'getPet']) {
      expect((await page.locator(`#${operation}`).boundingBox())?.height).toBeLessThan(1_600)
    }
    expect(problems).toEqual([])
  })

  it('has samples with its own address and key, which follow the form, in four languages', async () => {
    const { page, address, key } = await openStore()
    await page.click('text=Reference')
    await page.selectOption('#listPets-status', 'sold')
    const curlSample = page.locator('#listPets [role=tabpanel] >> nth=0')
    expect(await curlSample.textContent()).toBe(
      `curl '${address}/pets?status=sold' \\\n  -H 'Authorization: Bearer ${key}'`,
    )
    expect((await curl((await curlSample.textContent()) ?? '')).status).toBe(200)
    await page.click('#createPet >> text=Python')
    const python = await page.textContent('#createPet [role=tabpanel]:visible')
    expect(python).toContain(`"${address}/pets"`)
    expect(python).toContain(`"Bearer ${key}"`)
    await page.keyboard.press('ArrowRight')
    expect(await page.textContent('#createPet [role=tabpanel]:visible')).toContain('package main')
  })

  it.each([
    ['a wide window', DESKTOP],
    ['a phone', PHONE],
  ])(
    'takes a pasted key in a dialog that keeps the focus, behind a path prefix, in %s',
    async (_name, viewport) => {
      const key = createApiKeyText()
      const { page, problems } = await open(await serveUnderPrefix(key), { viewport })
      await page.click('text=Reference')
      await page.click('#open-key')
      expect(await page.evaluate('document.activeElement.id')).toBe('key')
      for (let press = 0; press < 5; press += 1) {
        await page.keyboard.press('Tab')
        expect(await page.evaluate('document.activeElement.closest("#open-key, main, nav")')).toBe(
          null,
        )
      }
      await page.fill('#key', `Bearer ${key}`)
      await page.keyboard.press('Enter')
      await page.waitForSelector('text=Your API key is used until you leave the page.')
      expect(await page.evaluate('document.activeElement.id')).toBe('open-key')
      expect(
        await send(page, 'createPet', '{"name":"Mia","categoryId":1,"status":"sold"}'),
      ).toMatch(/^201 /)
      expect(await send(page, 'listPets')).toMatch(/^200 /)
      expect(await bodyOf(page, 'listPets')).toContain('"name": "Mia"')
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
      await page.evaluate('document.documentElement.style.fontSize = "200%"')
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
      expect(problems).toEqual([])
    },
  )

  it('sends no key that nobody gave it, and marks what is read in the contents', async () => {
    const { page, problems } = await open(await serveUnderPrefix(createApiKeyText()))
    await page.click('text=Reference')
    expect(await send(page, 'listPets')).toMatch(/^401 /)
    expect(problems).toEqual([
      expect.stringMatching(/^401: .*\/shop\/v1\/pets$/),
      expect.stringContaining('401 (Unauthorized)'),
    ])
    for (const link of await page.locator('.sidebar a').all()) {
      await link.click()
      await expect
        .poll(() => page.locator('.sidebar a[aria-current]').allTextContents())
        .toEqual([await link.textContent()])
    }
  })

  it('takes an earlier response back when none arrives, and shows control characters of direction as such', async () => {
    const { page } = await openStore()
    await page.click('text=Reference')
    expect(await send(page, 'createPet', '{"name":"\u202e","categoryId":1}')).toMatch(/^201 /)
    expect(await bodyOf(page, 'createPet')).toContain('"name": "\\u202e"')
    await page.route('**/v1/pets', (route) => route.abort())
    await page.click('#createPet button[type=submit]')
    await page.waitForSelector('#createPet .outcome:has-text("No response")')
    expect(await page.isVisible('#createPet .answer')).toBe(false)
  })

  it.each([
    ['light', DESKTOP],
    ['dark', PHONE],
  ] as const)(
    'axe-core finds nothing in %s mode at %o, dialogs and responses opened',
    async (colorScheme, viewport) => {
      const { page } = await openStore({ viewport, colorScheme })
      await page.click('text=Reference')
      expect(await send(page, 'listPets')).toMatch(/^200 /)
      expect(await axeFindings(page)).toEqual([])
      await page.click('#open-key')
      expect(await axeFindings(page)).toEqual([])
    },
  )
})

/** Sends the request of an operation's form; returns the status that the page shows. */
async function send(page: Page, operation: string, body?: string): Promise<string> {
  const form = page.locator(`#${operation} .try`)
  if (body !== undefined) await form.locator('textarea').fill(body)
  await form.locator('button[type=submit]').click()
  await form.locator('.outcome:text-matches("^[0-9]")').waitFor()
  return (await form.locator('.outcome').textContent()) ?? ''
}

function bodyOf(page: Page, operation: string): Promise<string | null> {
  return page.locator(`#${operation} .body`).textContent()
}
