import { describe, expect, it } from 'vitest'
import {
  DESKTOP,
  INT64,
  openStore,
  PHONE,
  useBrowser,
  useStore,
} from '../testing/browser-pages.test-support.ts'

useBrowser()
/** With three pages of pets; no test adds one to it. */
const openFilled = useStore(48)

describe('what the page of the store says when it cannot', () => {
  it('says beside the pager that paging failed, takes the message back, and says so when nothing answers', async () => {
    const { page } = await openFilled()
    await page.clock.install()
    await page.route('**/v1/pets?*', (route) => route.abort())
    await page.click('#next')
    await page.clock.runFor(2_000)
    await page.waitForSelector('#page-message:text-is("The service cannot be reached.")')
    await page.unroute('**/v1/pets?*')
    await page.route('**/v1/pets?*', () => {})
    await page.click('#next')
    expect(await page.textContent('#page-message')).toBe('')
    expect(await page.getAttribute('#pets', 'aria-busy')).toBe('true')
    await page.clock.runFor(21_000)
    await page.waitForSelector('text=The service has not answered for 20 seconds. Still waiting…')
    expect(await page.locator('#busy').boundingBox()).toMatchObject({
      y: expect.closeTo(52, 0) as number,
    })
  })

  it('says at once that the key has used up its rate, and when to go on', async () => {
    const { page } = await openFilled()
    const message = 'This API key may make 1 requests in 60 s. Try again in 25 s.'
    const body = JSON.stringify({ code: 'rate_limited', message, status: 429 })
    await page.route('**/v1/pets?*', (route) =>
      route.fulfill({ status: 429, headers: { 'Retry-After': '25' }, body }),
    )
    await page.click('#next')
    await page.waitForSelector(`#page-message:text-is("${message}")`, { timeout: 5_000 })
  })

  it('stays busy until the last request has ended, and says of each how long it takes', async () => {
    const { page } = await openFilled()
    await page.clock.install()
    await page.route('**/v1/pets?*', () => {})
    await page.selectOption('#filter', 'sold')
    await page.clock.runFor(21_000)
    await page.waitForSelector('text=The service has not answered for 20 seconds. Still waiting…')
    await page.selectOption('#filter', 'pending')
    expect(await page.textContent('#busy')).toBe('')
    await page.clock.runFor(11_000)
    expect(await page.getAttribute('#pets', 'aria-busy')).toBe('true')
    expect(await page.textContent('#busy')).toBe('')
  })

  it('lets a key add that may not list, and says beside the list why it is empty', async () => {
    const { page } = await openFilled()
    const message = 'The API key may not do this: it lacks the scope pets:read.'
    const body = JSON.stringify({ code: 'forbidden', message, status: 403 })
    await page.route('**/v1/pets?*', (route) => route.fulfill({ status: 403, body }))
    await page.click('#change-key')
    await page.click('text=Show the pets')
    await page.waitForSelector(`#list-message:text-is("${message}")`)
    expect(await page.locator('#rows tr').count()).toBe(0)
    await page.route('**/v1/pets', (route) =>
      route.fulfill({ status: 201, body: '{"id":9,"name":"Rex","categoryId":1}' }),
    )
    await page.keyboard.type('Rex')
    await page.fill('#add-categoryId', '1')
    await page.click('#add-form button')
    await page.waitForSelector('.added bdi:text-is("Rex")')
  })

  it('names the filter of the pets that are shown, even when those of another cannot be loaded', async () => {
    const { page } = await openFilled()
    await page.route('**/v1/pets?*', (route) => route.abort())
    await page.selectOption('#filter', 'sold')
    await page.waitForSelector('#list-message:text-is("The service cannot be reached.")')
    expect(await page.inputValue('#filter')).toBe('')
  })

  it('says so when not even the first page can be loaded, and can be tried again', async () => {
    const { page } = await openFilled()
    await page.route('**/v1/pets?*', (route) => route.abort())
    await page.reload()
    await page.waitForSelector('#key-error:text-is("The service cannot be reached.")')
    await page.unroute('**/v1/pets?*')
    await page.click('text=Show the pets')
    await page.waitForSelector('bdi:text-is("Pet 1")')
  })

  it.each([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ])(
    'keeps numbers whole beside long names, and the direction of a name to itself, on a %s',
    async (_name, viewport) => {
      const { page } = await openStore(0, { viewport })
      for (const name of [
        'long '.repeat(200).trim(),
        'x'.repeat(1000),
        'W'.repeat(100),
        '\u202e  שלום',
      ]) {
        await page.fill('#add-name', name)
        await page.fill('#add-categoryId', INT64.min)
        await page.selectOption('#add-status', 'available')
        await page.click('#add-form button')
        await expect.poll(() => page.locator('.added bdi').first().textContent()).toBe(name)
      }
      // One line each, and no scrolling sideways.
      const lines = `Array.from(document.querySelectorAll('td.id, td.categoryId'), (cell) => {
      const text = document.createRange()
      text.selectNodeContents(cell)
      return text.getClientRects().length
    })`
      expect(await page.evaluate(lines)).toEqual(Array.from({ length: 8 }, () => 1))
      expect(await page.locator('text=Show all of the name').count()).toBe(3)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
      await page.evaluate('document.documentElement.style.fontSize = "200%"')
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
      const height = async () =>
        (await page.locator('tr:has-text("xxx") bdi').boundingBox())?.height ?? Number.NaN
      const clamped = await height()
      await page.locator('tr:has-text("xxx") >> text=Show all of the name').click()
      expect(await height()).toBeGreaterThan(2 * clamped)
    },
  )
})
