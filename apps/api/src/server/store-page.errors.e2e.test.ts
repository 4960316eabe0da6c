import { createApiKeyText } from '@pet-store/access'
import { axeFindings } from '@pet-store/testing/browser'
import { describe, expect, it } from 'vitest'
import {
  DESKTOP,
  open,
  PHONE,
  serveUnderPrefix,
  useBrowser,
  useStore,
} from '../testing/browser-pages.test-support.ts'

useBrowser()
/** With three pages of pets; no test adds one to it. */
const openFilled = useStore(48)

describe('what the store page says when it cannot list', () => {
  it('the store page says beside the pager that paging failed, or still waits', async () => {
    // On a phone the page scrolls; in a wide window only the rows do.
    const { page } = await openFilled({ needsOwnPage: true, viewport: PHONE })
    await page.clock.install()
    await page.route('**/v1/pets?*', (route) => route.abort())
    await page.click('#next')
    await page.waitForSelector('#page-message:has-text("The service cannot be reached.")')
    expect(await page.textContent('#position')).toBe('1–20')
    await page.unroute('**/v1/pets?*')
    await page.route('**/v1/pets?*', () => {})
    await page.click('#page-message >> text=Retry')
    expect(await page.textContent('#page-message')).toBe('')
    expect(await page.getAttribute('#pets', 'aria-busy')).toBe('true')
    await page.clock.runFor(21_000)
    await page.waitForSelector('text=The service has not answered for 20 seconds. Still waiting…')
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    expect(await page.locator('#busy').boundingBox()).toMatchObject({
      y: expect.closeTo(52, 0) as number,
    })
  })

  it('the store page says that a key has used up its rate, and until when', async () => {
    const { page } = await openFilled()
    const message = 'This API key may make 1 requests in 60 s. Try again in 25 s.'
    const body = JSON.stringify({ code: 'rate_limited', message, status: 429 })
    await page.route('**/v1/pets?*', (route) =>
      route.fulfill({ status: 429, headers: { 'Retry-After': '25' }, body }),
    )
    await page.click('#next')
    await page.waitForSelector(`#page-message:has-text("${message}")`)
  })

  it('the store page is busy until the last request ends, and says how long it took', async () => {
    const { page } = await openFilled({ needsOwnPage: true })
    await page.clock.install()
    await page.route('**/v1/pets?*', () => {})
    await page.check('#filter [value=sold]')
    await page.clock.runFor(21_000)
    await page.waitForSelector('text=The service has not answered for 20 seconds. Still waiting…')
    await page.check('#filter [value=pending]')
    expect(await page.textContent('#busy')).toBe('')
    await page.clock.runFor(11_000)
    expect(await page.getAttribute('#pets', 'aria-busy')).toBe('true')
    expect(await page.textContent('#busy')).toBe('')
  })

  it('the store page keeps the filter of its pets when others cannot be loaded', async () => {
    const { page } = await openFilled()
    await page.route('**/v1/pets?*', (route) => route.abort())
    await page.click('#filter .chip:has([value=sold])')
    await page.waitForSelector('#list-message:has-text("The service cannot be reached.")')
    expect(await page.isChecked('#filter [value=""]')).toBe(true)
  })

  it('the store page shows skeleton rows while it loads, and Retry when that fails', async () => {
    const { page } = await openFilled()
    let respond = () => {}
    await page.route('**/v1/pets?*', async (route) => {
      await new Promise<void>((resolve) => {
        respond = resolve
      })
      const message = 'An internal error occurred.'
      const body = JSON.stringify({ code: 'internal_error', message, status: 500 })
      await route.fulfill({ status: 500, body })
    })
    await page.reload()
    await page.waitForSelector('.skeleton')
    // As many as pets may come, so that nothing moves when they do.
    expect(await page.locator('#rows tr').count()).toBe(20)
    expect(await axeFindings(page)).toEqual([])
    respond()
    await page.waitForSelector('.notice:has-text("An internal error occurred.")')
    expect(await axeFindings(page)).toEqual([])
    await page.unroute('**/v1/pets?*')
    await page.click('.notice >> text=Retry')
    await page.waitForSelector('bdi:text-is("Pet 1")')
  })

  it('a key that may not list can add pets on the store page, which says why', async () => {
    const { page } = await openFilled()
    const message = 'The API key may not do this: it lacks the scope pets:read.'
    const body = JSON.stringify({ code: 'forbidden', message, status: 403 })
    await page.route('**/v1/pets?*', (route) => route.fulfill({ status: 403, body }))
    await page.reload()
    await page.waitForSelector(`.notice:has-text("${message}")`)
    await page.route('**/v1/pets', (route) =>
      route.fulfill({ status: 201, body: '{"id":9,"name":"Rex","categoryId":1}' }),
    )
    await page.click('#add-pet')
    await page.keyboard.type('Rex')
    await page.fill('#add-categoryId', '1')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.added bdi:text-is("Rex")')
  })
})

describe('the key dialog of the store page', () => {
  it('the key dialog takes a key as people paste it, and keeps it if asked to', async () => {
    const key = createApiKeyText()
    const { page, problems } = await open(await serveUnderPrefix(key), { viewport: PHONE })
    await page.click('text=Enter an API key')
    await page.fill('#key', 'ключ')
    await page.click('text=Use the key')
    await page.waitForSelector('text=An API key has no “к”: copy it again')
    expect(problems).toEqual([])
    await page.fill('#key', createApiKeyText())
    await page.keyboard.press('Enter')
    await page.waitForSelector('#key-error:has-text("The API key is not valid.")')
    expect(await axeFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.waitForSelector('text=An API key is needed to see the pets.')
    expect(await axeFindings(page)).toEqual([])
    await page.click('#add-pet')
    await page.fill('#key', ` -H 'Authorization: Bearer “${key}”\u200b' `)
    await page.check('#keep-key')
    await page.keyboard.press('Enter')
    await page.waitForSelector('text=There are no pets yet.')
    await page.reload()
    await page.waitForSelector('text=There are no pets yet.')
    expect(await page.isVisible('#key-dialog')).toBe(false)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
  })

  it('the key dialog keeps the list when it is cancelled, or a key is rejected', async () => {
    const { page } = await openFilled()
    await page.click('#open-key')
    await page.fill('#key', createApiKeyText())
    await page.keyboard.press('Enter')
    await page.waitForSelector('#key-error:has-text("The API key is not valid.")')
    await page.click('#cancel-key')
    expect(await page.isVisible('bdi:text-is("Pet 1")')).toBe(true)
    await page.click('#next')
    await page.waitForSelector('#position:text-is("21–40")')
  })
})

describe('how the store page looks', () => {
  it('both pages keep the colours that were chosen', async () => {
    const { page } = await openFilled({ colorScheme: 'light' })
    const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme')
    await page.click('#theme')
    await page.click('#theme')
    expect(await page.getAttribute('#theme', 'aria-label')).toBe('Colours: dark')
    expect(await scheme()).toBe('dark')
    await page.click('text=Reference')
    await page.waitForURL('**/docs')
    await page.waitForSelector('#theme[aria-label="Colours: dark"]')
    expect(await scheme()).toBe('dark')
  })

  it('both pages have controls of 44 pixels on touch screens, which never zoom', async () => {
    const { page } = await openFilled({ viewport: PHONE, hasTouch: true })
    const controls = 'button, input:not([type=radio], [type=checkbox]), select, textarea, .chip'
    const small = `Array.from(document.querySelectorAll('${controls}'))
      .filter((part) => part.checkVisibility())
      .filter((part) => part.getBoundingClientRect().height < 44 ||
        (part.matches('input, select, textarea') &&
          Number.parseFloat(getComputedStyle(part).fontSize) < 16))
      .map((part) => part.outerHTML)`
    expect(await page.evaluate(small)).toEqual([])
    await page.click('#add-pet')
    expect(await page.evaluate(small)).toEqual([])
    await page.click('#close-add')
    await page.click('text=Reference')
    await page.waitForURL('**/docs')
    expect(await page.evaluate(small)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
  })

  it('the printed store page has its pets, in light colours, without controls', async () => {
    const { page } = await openFilled({ colorScheme: 'dark', needsOwnPage: true })
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('button:visible, input:visible, select:visible').count()).toBe(0)
    expect(await page.isVisible('bdi:text-is("Pet 20")')).toBe(true)
    const scrolls = `document.getElementById('pets').scrollHeight >
      document.getElementById('pets').clientHeight`
    expect(await page.evaluate(scrolls)).toBe(false)
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe(
      'light',
    )
  })

  it.each([
    ['light', DESKTOP],
    ['dark', PHONE],
  ] as const)(
    'axe reports nothing about the store page in %s mode at %o',
    async (colorScheme, viewport) => {
      const { page } = await openFilled({ viewport, colorScheme })
      expect(await axeFindings(page)).toEqual([])
      await page.click('#open-key')
      expect(await axeFindings(page)).toEqual([])
    },
  )

  it('with forced colours the store page outlines what otherwise has a background', async () => {
    const { page } = await openFilled({ forcedColors: 'active' })
    await page.click('#find [type=submit]')
    const parts = 'button, .badge, .chip, .error:not(:empty)'
    const withoutOutline = `Array.from(document.querySelectorAll('${parts}'))
      .filter((part) => part.checkVisibility() && ['border', 'outline'].every((line) => {
        const style = getComputedStyle(part)
        return style[line + 'Style'] === 'none' || /^rgba.*, 0[)]/.test(style[line + 'Color'])
      }))
      .map((part) => part.outerHTML)`
    expect(await page.evaluate(withoutOutline)).toEqual([])
    const lookOf = (selector: string) =>
      page.evaluate<string>(`(() => {
        const { backgroundColor, borderBottomColor } =
          getComputedStyle(document.querySelector('${selector}'))
        return backgroundColor + borderBottomColor
      })()`)
    expect(await lookOf('.chip')).not.toBe(await lookOf('.chip:has([value=sold])'))
    expect(await lookOf('.bar nav a')).not.toBe(await lookOf('.bar nav a + a'))
  })

  it('without JavaScript the store page has a sentence and a curl line, no more', async () => {
    const { page, address } = await openFilled({ javaScriptEnabled: false })
    expect(await page.textContent('main')).toContain('This page needs JavaScript.')
    expect(await page.textContent('pre')).toBe(
      `curl -H "Authorization: Bearer $API_KEY" ${address}/pets`,
    )
    expect(await page.locator('form:visible, button:visible').count()).toBe(0)
  })
})
