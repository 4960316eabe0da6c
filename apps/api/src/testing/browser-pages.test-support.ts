import { hashApiKey } from '@pet-store/access'
import { type RunningProgram, temporaryFolder, waitForOutput } from '@pet-store/testing'
import {
  type Browser,
  type BrowserContextOptions,
  CHROMIUM,
  chromium,
  NO_CHROMIUM,
  openPage,
  type Page,
  problemsOf,
} from '@pet-store/testing/browser'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest'
import { startPrefixProxy } from './prefix-proxy.test-support.ts'
import { runProgram, runStart } from './run-program.test-support.ts'

export const DESKTOP = { width: 1440, height: 900 }
export const PHONE = { width: 360, height: 780 }

/** More digits than a JavaScript number holds. */
export const BIG = '9007199254740993'
export const INT64 = { min: '-9223372036854775808', max: '9223372036854775807' }

let browser: Browser
/** A context takes half a second of CPU time, so most tests share one page. */
let shared: Page | undefined

/** Starts a browser for the tests of a file; without one they are skipped, and say so. */
export function useBrowser(): void {
  beforeAll(async () => {
    if (CHROMIUM === undefined) console.warn(NO_CHROMIUM)
    else browser = await chromium.launch({ executablePath: CHROMIUM })
  })
  afterAll(async () => {
    shared = undefined
    await browser?.close()
  })
  beforeEach((context) => {
    if (CHROMIUM === undefined) context.skip(NO_CHROMIUM)
  })
}

export interface PageOptions
  extends Pick<
    BrowserContextOptions,
    'viewport' | 'colorScheme' | 'forcedColors' | 'permissions' | 'javaScriptEnabled' | 'hasTouch'
  > {
  /** For a test that changes the page in a way that cannot be undone, such as its clock. */
  readonly needsOwnPage?: boolean
}

/** Opens the first page of a service. */
export async function open(address: string, options: PageOptions = {}) {
  const { needsOwnPage, permissions, javaScriptEnabled, hasTouch } = options
  const isSpecial =
    needsOwnPage || hasTouch || permissions !== undefined || javaScriptEnabled !== undefined
  const page = await (isSpecial ? openOwnPage(options) : takeSharedPage(options))
  const problems = problemsOf(page, address)
  await page.goto(`${address}/`)
  return { page, problems }
}

async function openOwnPage({ needsOwnPage: _, ...options }: PageOptions): Promise<Page> {
  const context = await browser.newContext({ viewport: DESKTOP, ...options })
  onTestFinished(() => context.close())
  return openPage(context)
}

/** The page that tests share; it is reset after each of them. */
async function takeSharedPage({
  viewport,
  colorScheme = 'light',
  forcedColors = null,
}: PageOptions): Promise<Page> {
  shared ??= await openPage(await browser.newContext())
  const page = shared
  onTestFinished(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.evaluate('localStorage.clear(); sessionStorage.clear()')
    await page.mouse.move(0, 0)
    await page.goto('about:blank')
  })
  await page.setViewportSize(viewport ?? DESKTOP)
  await page.emulateMedia({ colorScheme, forcedColors })
  return page
}

interface Store {
  readonly program: RunningProgram
  readonly address: string
  readonly key: string
  readonly count: number
}

/**
 * Starts one service with a development key and this many pets for a file of tests; what it returns
 * opens the first page.
 */
export function useStore(count: number) {
  let store: Store | undefined
  beforeAll(async () => {
    if (CHROMIUM !== undefined) store = await startStore(count)
  })
  afterAll(() => store && stop(store.program))
  return (options?: PageOptions) => openFirstPage(store as Store, options)
}

/** A service with a development key and this many pets for one test, and its first page. */
export async function openStore(count = 0, options: PageOptions = {}) {
  const store = await startStore(count)
  onTestFinished(() => stop(store.program))
  return openFirstPage(store, options)
}

async function startStore(count: number): Promise<Store> {
  const store = await runStart(await temporaryFolder(), { LOG_LEVEL: 'error' })
  await addPets(store.address, store.key, count)
  return { ...store, count }
}

async function openFirstPage({ address, key, count }: Store, options: PageOptions = {}) {
  const opened = await open(address.replace('/v1', ''), options)
  if (options.javaScriptEnabled !== false) {
    await opened.page.waitForSelector(
      count === 0 ? 'text=There are no pets yet.' : 'bdi:text-is("Pet 1")',
    )
  }
  return { ...opened, address, key }
}

async function addPets(address: string, key: string, count: number): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  for (let number = 1; number <= count; number += 1) {
    const body = `{"name":"Pet ${number}","categoryId":${BIG},"status":"available"}`
    const { status } = await fetch(`${address}/pets`, { method: 'POST', headers, body })
    expect(status).toBe(201)
  }
}

async function stop(program: RunningProgram): Promise<void> {
  program.process.kill('SIGTERM')
  await program.ended
}

/** A service for others, published under a prefix; its address there. */
export async function serveUnderPrefix(key: string): Promise<string> {
  const program = runProgram('serve', await temporaryFolder(), { API_KEYS_SHA256: hashApiKey(key) })
  onTestFinished(() => stop(program))
  const address = await waitForOutput(program, /"address":"([^"]+)\/v1"/)
  const proxy = await startPrefixProxy(address, '/shop')
  onTestFinished(proxy.close)
  return proxy.address
}
