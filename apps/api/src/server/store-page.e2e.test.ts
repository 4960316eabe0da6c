import { axeFindings, type Page } from '@pet-store/testing/browser'
import { describe, expect, it } from 'vitest'
import {
  BIG,
  DESKTOP,
  INT64,
  openStore,
  PHONE,
  useBrowser,
  useStore,
} from '../testing/browser-pages.test-support.ts'
import { curl } from '../testing/curl.test-support.ts'

useBrowser()
/** With three pages of pets; no test adds one to it. */
const openFilled = useStore(48)

/** What the pets of these tests have. Pets may have further fields, which these are not about. */
const FIELDS = ['id', 'name', 'categoryId', 'status']

/** The texts of these fields, in each row. */
function shownIn(page: Page, rows: string): Promise<readonly string[]> {
  const cells = FIELDS.map((field) => `.${field}`).join()
  return page
    .locator(rows)
    .evaluateAll(
      (all, selector) =>
        all.map((row) =>
          [...row.querySelectorAll(selector)].map((cell) => cell.textContent).join(''),
        ),
      cells,
    )
}

describe('the list of the store page', () => {
  it('the store list pages both ways, with position, size and filter in the URL', async () => {
    const { page, problems } = await openFilled()
    await page.click('#next')
    await page.waitForSelector('#position:text-is("21–40")')
    await page.click('#next')
    await page.waitForSelector('#position:text-is("41–48")')
    expect(await page.isDisabled('#next')).toBe(true)
    // The focus is where a keyboard can go on, and the first row in sight.
    expect(await page.evaluate('document.activeElement.id')).toBe('previous')
    await page.reload()
    await page.waitForSelector('#position:text-is("41–48")')
    await page.click('#previous')
    await page.waitForSelector('#position:text-is("21–40")')
    await page.goBack()
    await page.waitForSelector('#position:text-is("41–48")')
    expect(await shownIn(page, '#rows tr')).toContain(`48Pet 48${BIG}available`)

    await page.selectOption('#size', '50')
    await page.waitForSelector('#position:text-is("1–48")')
    await page.check('#filter [value=sold]')
    await page.waitForSelector('text=There are no sold pets yet.')
    expect(new URL(page.url()).search).toBe('?status=sold&limit=50')
    await page.click('text=Show all pets')
    await page.waitForSelector('#position:text-is("1–48")')
    expect(await page.isChecked('#filter [value=""]')).toBe(true)
    expect(problems).toEqual([])
  })

  it('the store list shows the first page where a link has no valid position', async () => {
    const { page } = await openFilled()
    await page.goto(`${page.url()}?limit=20&cursor=cut&from=21`)
    await page.waitForSelector(
      '#list-message:has-text("This link has no valid position. Here is the first page.")',
    )
    expect(await page.textContent('#position')).toBe('1–20')
    expect(new URL(page.url()).search).toBe('')
    await page.goto(`${page.url()}?from=21`)
    await page.waitForSelector('#position:text-is("1–20")')
  })

  it.each([
    ['a wide window', DESKTOP, 32],
    ['a phone', PHONE, 44],
  ])(
    'the store list has rows and columns that stay as they are in %s, whatever they hold',
    async (_name, viewport, height) => {
      const { page } = await openStore(0, { viewport })
      const long = ['long '.repeat(200).trim(), 'x'.repeat(1000), 'W'.repeat(100)]
      const names = [...long, '\u202e  שלום']
      for (const name of names) await add(page, name, INT64.min, 'available')
      await page.click('#close-add')
      const boxes = await Promise.all(
        (await page.locator('#rows tr').all()).map((row) => row.boundingBox()),
      )
      expect(boxes.map((box) => Math.round(box?.height ?? 0))).toEqual(names.map(() => height))
      const starts = `Array.from(document.querySelectorAll('td.status'), (cell) =>
        Math.round(cell.getBoundingClientRect().right))`
      expect(new Set(await page.evaluate<number[]>(starts)).size).toBe(1)
      // An integer that is cut off would be another one.
      const cut = `Array.from(document.querySelectorAll('td:not(.name)'))
        .filter((cell) => cell.scrollWidth > cell.clientWidth).length`
      expect(await page.evaluate(cut)).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
      await page.evaluate('document.documentElement.style.fontSize = "200%"')
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
    },
  )

  it.each([
    { width: 1280, height: 800 },
    { width: 768, height: 700 },
  ])(
    'the store list scrolls whole rows beside a pager that is in sight, at %o',
    async (viewport) => {
      const { page } = await openFilled({ viewport })
      const rows = `document.querySelectorAll('#rows tr')`
      /** Where the rows end, the list and the window. */
      const ends = () =>
        page.evaluate<number[]>(`[...${rows}, document.getElementById('pets')].map((part) =>
        Math.round(part.getBoundingClientRect().bottom))`)
      const all = await ends()
      // The list has a border of a pixel.
      expect(all.slice(0, -1)).toContain((all.at(-1) ?? 0) - 1)
      const { y = 0, height = 0 } = (await page.locator('#next').boundingBox()) ?? {}
      expect(y + height).toBeLessThan(viewport.height)
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(viewport.height)
      await page.locator('#rows tr').last().scrollIntoViewIfNeeded()
      await page.click('#next')
      await page.waitForSelector('#position:text-is("21–40")')
      expect(await page.evaluate('document.getElementById("pets").scrollTop')).toBe(0)
    },
  )

  it('the store list begins in the upper third of a phone', async () => {
    const { page } = await openFilled({ viewport: { width: 390, height: 844 }, hasTouch: true })
    const top = (await page.locator('#rows tr').first().boundingBox())?.y ?? Number.NaN
    expect(top).toBeLessThan(844 / 3)
  })

  it('the store list copies a curl line that works as it is', async () => {
    const { page } = await openFilled({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.check('#filter [value=available]')
    await page.waitForURL(/available/)
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
    await page.click('#copy-list')
    await expect.poll(copied).toContain('status=available')
    expect(await curl(await copied())).toMatchObject({
      status: 200,
      body: expect.stringContaining('"id":20,') as string,
    })
  })
})

describe('the drawer of a pet', () => {
  it('pressing the row of a pet opens its drawer, and going back closes it', async () => {
    const { page, address, key, problems } = await openFilled()
    await page.check('#filter [value=available]')
    await page.waitForURL(/available/)
    await page.click('#rows tr:has(bdi:text-is("Pet 5")) .status', { force: true })
    await page.waitForSelector('#pet-title:text-is("Pet 5")')
    expect(new URL(page.url()).search).toBe('?status=available&pet=5')
    const fields = await page.locator('#pet-fields dd').allTextContents()
    expect(fields.slice(0, FIELDS.length)).toEqual(['5', 'Pet 5', BIG, 'available'])
    expect(await page.textContent('#pet-json')).toContain(`"categoryId": ${BIG},`)
    expect(await page.textContent('#pet-json .code-number')).toBe('5')
    const line = await page.textContent('#pet-curl')
    expect(line).toBe(`curl -w '\\n' -H "Authorization: Bearer ${key}" '${address}/pets/5'`)
    expect((await curl(line ?? '')).status).toBe(200)
    expect(await axeFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => new URL(page.url()).search).toBe('?status=available')
    expect(await page.evaluate('document.activeElement.dataset.pet')).toBe('5')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#pet-title:text-is("Pet 5")')
    await page.goBack()
    await page.waitForSelector('#pet-drawer', { state: 'hidden' })
    await page.goForward()
    await page.waitForSelector('#pet-title:text-is("Pet 5")')
    expect(problems).toEqual([])
  })

  it('the address of a pet opens its drawer, which leads to the list from there', async () => {
    const { page } = await openFilled()
    await page.goto(`${page.url()}?pet=40`)
    await page.waitForSelector('#pet-fields :text-is("Pet 40")')
    await page.click('#close-pet')
    await expect.poll(() => new URL(page.url()).search).toBe('')
    expect(await page.isVisible('bdi:text-is("Pet 1")')).toBe(true)
  })

  it('the drawer of a pet shows what an ID finds, or nothing, and can try again', async () => {
    const { page } = await openFilled()
    await page.fill('#find-id', '21')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#pet-fields :text-is("Pet 21")')
    expect(await page.locator('#table :text-is("Pet 21")').count()).toBe(0)
    await page.click('#close-pet')
    await page.fill('#find-id', 'one')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#find-message:has-text("a whole number")')
    await page.fill('#find-id', INT64.max)
    await page.route('**/v1/pets/*', (route) => route.abort())
    await page.click('#find button[type=submit]')
    await page.waitForSelector('#pet-message:has-text("The service cannot be reached.")')
    await page.unroute('**/v1/pets/*')
    await page.click('#pet-message >> text=Retry')
    await page.waitForSelector(`#pet-message:has-text("There is no pet ${INT64.max}.")`)
    expect(await page.isVisible('#pet-message >> text=Retry')).toBe(false)
  })
})

describe('the drawer that adds pets', () => {
  it('a shortcut opens the drawer for new pets, which adds several and counts them', async () => {
    const { page, problems } = await openStore()
    await page.keyboard.press('Alt+KeyN')
    expect(await page.evaluate('document.activeElement.id')).toBe('add-name')
    for (const name of ['Pet 1', 'Zoë 🐕', 'Pet 3']) await add(page, name, '7', '')
    expect(await axeFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await page.textContent('#position')).toBe('1–3')
    expect(await shownIn(page, '#table .added')).toEqual([
      '1Pet 1new7not set',
      '2Zoë 🐕new7not set',
      '3Pet 3new7not set',
    ])
    await page.check('#filter [value=sold]')
    await page.waitForSelector('#position:text-is("3 new")')
    expect(await page.locator('#added tr').count()).toBe(3)
    // Another key may see less.
    await page.click('#open-key')
    await page.fill('#key', (await page.getAttribute('body', 'data-development-key')) ?? '')
    await page.keyboard.press('Enter')
    await page.waitForSelector('text=There are no sold pets yet.')
    expect(await page.locator('#added tr').count()).toBe(0)
    expect(problems).toEqual([])
  })

  it('the drawer for new pets says what is wrong, and what the service rejects', async () => {
    const { page } = await openFilled()
    await page.click('#add-pet')
    await page.click('#add-form [type=submit]')
    await page.waitForSelector('#add-name + #add-error:text-is("Name: enter the name of the pet.")')
    await page.fill('#add-name', 'Rex')
    await page.fill('#add-categoryId', 'one')
    await page.click('#add-form [type=submit]')
    await page.waitForSelector('text=Category ID: enter a whole number, such as 1.')
    for (const tooLarge of ['9223372036854775808', '99999999999999999999']) {
      await page.fill('#add-categoryId', tooLarge)
      await page.click('#add-form [type=submit]')
      await page.waitForSelector(
        `text=categoryId must be an integer from ${INT64.min} to ${INT64.max}, got ${tooLarge}`,
      )
    }
    await page.fill('#add-categoryId', '1')
    await page.fill('#add-name', 'x'.repeat(1001))
    await page.click('#add-form [type=submit]')
    await page.waitForSelector('text=name must have at most 1000 characters')
    const invalid = page.locator('[aria-invalid=true]')
    expect([await invalid.count(), await invalid.getAttribute('id')]).toEqual([1, 'add-name'])
    expect(await page.evaluate('document.activeElement.id')).toBe('add-name')
    expect(await page.locator('.added').count()).toBe(0)
  })

  it('a pet is added once when the connection breaks and Add is pressed again', async () => {
    const { page } = await openStore()
    await page.route('**/v1/pets', async (route) => {
      // The service adds the pet, and its response is lost.
      if (route.request().method() === 'POST') await route.fetch()
      await route.abort()
    })
    await page.click('text=Add the first pet')
    await page.fill('#add-name', 'Rex')
    await page.fill('#add-categoryId', '1')
    await page.keyboard.press('Enter')
    await page.waitForSelector(
      'text=The service cannot be reached. Press Add to try again; the pet is added only once.',
    )
    await page.unroute('**/v1/pets')
    await page.click('#add-form [type=submit]')
    await page.waitForSelector('text=Added with ID 1.')
    await page.reload()
    await page.waitForSelector('#position:text-is("1")')
  })
})

/** Adds a pet in the drawer, which is opened if it is not. */
async function add(page: Page, name: string, categoryId: string, status: string): Promise<void> {
  if (!(await page.isVisible('#add-drawer'))) await page.click('#add-pet')
  const before = await page.textContent('#add-message')
  await page.fill('#add-name', name)
  await page.fill('#add-categoryId', categoryId)
  await page.selectOption('#add-status', status)
  await page.focus('#add-name')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.textContent('#add-message')).toMatch(/^Added with ID/)
  expect(await page.textContent('#add-message')).not.toBe(before)
}
