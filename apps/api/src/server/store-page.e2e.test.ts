import { createApiKeyText } from '@pet-store/access'
import { describe, expect, it } from 'vitest'
import {
  BIG,
  DESKTOP,
  INT64,
  open,
  openStore,
  PHONE,
  serveUnderPrefix,
  useBrowser,
  useStore,
} from '../testing/browser-pages.test-support.ts'
import { curl } from '../testing/curl.test-support.ts'

useBrowser()
/** With three pages of pets; no test adds one to it. */
const openFilled = useStore(48)

describe('the page of the store', () => {
  it('pages forwards and back, with position, page size and filter in the URL', async () => {
    const { page, problems } = await openFilled()
    await page.click('text=Next')
    await page.click('text=Rows 21–40; there are more')
    await page.click('text=Next')
    await page.waitForSelector('text=/^Rows 41–48$/')
    expect(await page.isDisabled('#next')).toBe(true)
    // The focus is where a keyboard can go on, and the first row in sight.
    expect(await page.evaluate('document.activeElement.id')).toBe('previous')
    expect((await page.locator('#rows tr').first().boundingBox())?.y).toBeLessThan(
      DESKTOP.height / 2,
    )
    await page.reload()
    await page.waitForSelector('text=/^Rows 41–48$/')
    await page.click('#previous')
    await page.waitForSelector('text=Rows 21–40')
    await page.goBack()
    await page.waitForSelector('text=/^Rows 41–48$/')
    expect(await page.locator('#rows tr').allTextContents()).toContain(
      `48Pet 48${BIG}availableCopy`,
    )

    await page.selectOption('#size', '50')
    await page.waitForSelector('text=/^Rows 1–48$/')
    await page.selectOption('#filter', 'sold')
    await page.waitForSelector('text=There are no sold pets yet.')
    expect(new URL(page.url()).search).toBe('?status=sold&limit=50')
    await page.goBack()
    await page.waitForSelector('text=/^Rows 1–48$/')
    expect(problems).toEqual([])
  })

  it('keeps the focus in sight, between the head of the table and the pager', async () => {
    const { page } = await openFilled({ viewport: { width: 1440, height: 500 } })
    const isInSight = `(() => {
      const { x, y, width, height } = document.activeElement.getBoundingClientRect()
      return document.activeElement.contains(document.elementFromPoint(x + width / 2, y + height / 2))
    })()`
    await page.focus('#next')
    for (const key of ['Shift+Tab', 'Tab']) {
      for (let press = 0; press < 18; press += 1) {
        await page.keyboard.press(key)
        expect(await page.evaluate(isInSight)).toBe(true)
      }
    }
  })

  it('shows the first page where a link has no valid position', async () => {
    const { page } = await openFilled()
    await page.goto(`${page.url()}?limit=20&cursor=cut&from=21`)
    await page.waitForSelector(
      '#list-message:text-is("This link has no valid position. Here is the first page.")',
    )
    expect(await page.textContent('#position')).toBe('Rows 1–20; there are more')
    expect(new URL(page.url()).search).toBe('')
    await page.goto(`${page.url()}?from=21`)
    await page.waitForSelector('text=/^Rows 1–20; /')
  })

  it('adds one pet after the other by keyboard, and shows each at once wherever it is listed', async () => {
    const { page, problems } = await openStore()
    await page.click('text=Add the first pet')
    await page.keyboard.type('Pet 1')
    await page.fill('#add-categoryId', '7')
    await page.focus('#add-name')
    await page.keyboard.press('Enter')
    for (const name of ['Zoë 🐕', 'Pet 3']) {
      await page.waitForSelector('#add-message:has-text("Added with ID")')
      await page.keyboard.type(name)
      await page.keyboard.press('Enter')
      await page.waitForSelector(`.added bdi:text-is("${name}")`)
    }
    expect(await page.locator('.added').allTextContents()).toEqual([
      '3Pet 3new7not setCopy',
      '2Zoë 🐕new7not setCopy',
      '1Pet 1new7not setCopy',
    ])
    await page.selectOption('#filter', 'sold')
    await page.waitForSelector('text=There are no sold pets yet.')
    expect(await page.locator('.added').count()).toBe(3)
    // Another key may see less.
    await page.click('#change-key')
    await page.click('text=Show the pets')
    await page.waitForSelector('text=There are no sold pets yet.')
    expect(await page.locator('.added').count()).toBe(0)
    expect(problems).toEqual([])
  })

  it('says beside the field what is wrong with an input, and what the service rejects', async () => {
    const { page } = await openStore()
    await page.click('#add-form button')
    await page.waitForSelector('#add-error:text-is("Name: enter the name of the pet.")')
    await page.fill('#add-name', 'Rex')
    await page.fill('#add-categoryId', 'one')
    await page.click('#add-form button')
    await page.waitForSelector('text=Category ID: enter a whole number, such as 1.')
    for (const tooLarge of ['9223372036854775808', '99999999999999999999']) {
      await page.fill('#add-categoryId', tooLarge)
      await page.click('#add-form button')
      await page.waitForSelector(
        `text=categoryId must be an integer from ${INT64.min} to ${INT64.max}, got ${tooLarge}`,
      )
    }
    await page.fill('#add-categoryId', '1')
    await page.fill('#add-name', 'x'.repeat(1001))
    await page.click('#add-form button')
    await page.waitForSelector('text=name must have at most 1000 characters')
    const invalid = page.locator('[aria-invalid=true]')
    expect([await invalid.count(), await invalid.getAttribute('id')]).toEqual([1, 'add-name'])
    expect(await page.evaluate('document.activeElement.id')).toBe('add-name')
    expect(await page.locator('.added').count()).toBe(0)
  })

  it('adds a pet once, even when the connection breaks and Add is pressed again', async () => {
    const { page } = await openStore()
    await page.route('**/v1/pets', async (route) => {
      // The service adds the pet, and its response is lost.
      if (route.request().method() === 'POST') await route.fetch()
      await route.abort()
    })
    await page.fill('#add-name', 'Rex')
    await page.fill('#add-categoryId', '1')
    await page.click('#add-form button')
    await page.waitForSelector(
      'text=The service cannot be reached. Press Add to try again; the pet is added only once.',
    )
    await page.unroute('**/v1/pets')
    await page.click('#add-form button')
    await page.waitForSelector('text=Added with ID 1.')
    await page.reload()
    await page.waitForSelector('text=/^Rows 1–1$/')
  })

  it('finds a pet by its ID, and says beside the field when there is none', async () => {
    const { page } = await openFilled()
    await page.fill('#find-id', '21')
    await page.click('text=/^Find$/')
    await page.waitForSelector('.added bdi:text-is("Pet 21")')
    await page.fill('#find-id', INT64.max)
    await page.keyboard.press('Enter')
    await page.waitForSelector(`#find-message:has-text("There is no pet ${INT64.max}.")`)
    expect(await page.locator('.added').count()).toBe(0)
  })

  it('copies curl lines that work as they are, for the list and for a pet', async () => {
    const { page, address, key } = await openFilled({
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.selectOption('#filter', 'available')
    await page.waitForURL(/available/)
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
    await page.click('text=Copy as curl')
    await expect.poll(copied).toContain('status=available')
    expect(await curl(await copied())).toMatchObject({
      status: 200,
      body: expect.stringContaining('"id":20,') as string,
    })
    await page.click('[aria-label="Copy the curl line of pet 3"]')
    await expect
      .poll(copied)
      .toBe(`curl -w '\\n' -H "Authorization: Bearer ${key}" '${address}/pets/3'`)
    expect((await curl(await copied())).status).toBe(200)
  })

  it('takes a key as people paste it, explains what is none, and asks again for a rejected one', async () => {
    const key = createApiKeyText()
    const { page, problems } = await open(await serveUnderPrefix(key), { viewport: PHONE })
    await page.fill('#key', 'ключ')
    await page.click('text=Show the pets')
    await page.waitForSelector('text=An API key has no “к”: copy it again, and nothing beside it.')
    expect(problems).toEqual([])
    await page.fill('#key', createApiKeyText())
    await page.route('**/v1/pets?*', () => {})
    await page.click('text=Show the pets')
    await page.waitForSelector('#busy:text-is("Loading…")')
    await page.unroute('**/v1/pets?*')
    await page.click('text=Show the pets')
    await page.waitForSelector('#key-error:has-text("The API key is not valid.")')
    await page.fill('#key', ` -H 'Authorization: Bearer “${key}”\u200b' `)
    await page.keyboard.press('Enter')
    await page.waitForSelector('text=There are no pets yet.')
    expect(await page.isVisible('#key-form')).toBe(false)
    expect(await page.evaluate('document.activeElement.id')).toBe('filter')
    await page.click('#go-to-add')
    expect(await page.evaluate('document.activeElement.id')).toBe('add-name')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
  })

  it('outlines in forced colours what has a background colour otherwise', async () => {
    const { page } = await openFilled({ forcedColors: 'active' })
    await page.click('#add-form button')
    const withoutOutline = `Array.from(document.querySelectorAll('button, .badge, .error:not(:empty)'))
      .filter((part) => part.checkVisibility() && ['border', 'outline'].every((line) => {
        const style = getComputedStyle(part)
        return style[line + 'Style'] === 'none' || /^rgba.*, 0[)]/.test(style[line + 'Color'])
      }))
      .map((part) => part.outerHTML)`
    expect(await page.evaluate(withoutOutline)).toEqual([])
  })

  it('has a sentence and a curl line without JavaScript, and nothing that does not work', async () => {
    const { page, address } = await openFilled({ javaScriptEnabled: false })
    expect(await page.textContent('main')).toContain('This page needs JavaScript.')
    expect(await page.textContent('pre')).toBe(
      `curl -H "Authorization: Bearer $API_KEY" ${address}/pets`,
    )
    expect(await page.locator('form:visible, button:visible').count()).toBe(0)
  })
})
