import { existsSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'

export {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'

/**
 * The browser of this machine: the one that `CHROME_BIN` names, else a Chromium or Chrome on the
 * path. The headless shell comes first: it has no windows, and takes a third less CPU time.
 */
export const CHROMIUM: string | undefined =
  process.env['CHROME_BIN'] || onPath('chromium-headless-shell', 'chromium', 'google-chrome')

/** The reason to skip tests in a browser if there is none. */
export const NO_CHROMIUM: string =
  'The pages are not tested in a browser, because none was found. Install one (apt-get install ' +
  'chromium-headless-shell), or name it in CHROME_BIN.'

function onPath(...names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':')
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((file) => existsSync(file))
}

/** Opens a page that writes an error to the console when it violates its policy. */
export async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await page.addInitScript({
    content:
      `document.addEventListener('securitypolicyviolation', (event) => console.error('policy: ` +
      `' + event.violatedDirective + ' ' + event.blockedURI))`,
  })
  return page
}

const EVENTS = ['console', 'pageerror', 'requestfailed', 'request', 'response']

/**
 * From now on, collects everything that a page must not do: write to the console, violate its
 * content security policy, fail to load something, or send requests to another address.
 */
export function problemsOf(page: Page, address: string): readonly string[] {
  const problems: string[] = []
  // An earlier call added listeners.
  for (const event of EVENTS) page.removeAllListeners(event)
  page.on('console', (message) => {
    if (message.type() !== 'log') problems.push(`console ${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`))
  page.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${address}/`) && !url.startsWith('data:'))
      problems.push(`elsewhere: ${url}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`)
  })
  return problems
}

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly unknown[] }[]
}

/** Without the elements that pass, whose description takes most of the time. */
const RUN_AXE = `axe.run({ resultTypes: ['violations'] })`

/** The violations that axe-core finds, each with the number of its elements. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>(RUN_AXE)
  return violations.map(({ id, nodes }) => `${id}: ${nodes.length}`)
}
