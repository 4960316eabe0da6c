import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { onTestFinished, type TestContext } from 'vitest'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Starts the machine's Chromium for the test, or skips the test with a reason. */
export async function startChromium(context: TestContext, ...args: readonly string[]): Promise<Browser> {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const executablePath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(existsSync)
  if (executablePath === undefined) {
    const reason = 'needs a Chromium, which is not installed (Debian: chromium)'
    console.log(`Skipped: ${context.task.name}: ${reason}`)
    return context.skip(reason)
  }
  const browser = await chromium.launch({ executablePath, args: [...args] })
  onTestFinished(() => browser.close())
  return browser
}
