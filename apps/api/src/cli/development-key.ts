import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createApiKeyText, isApiKeyText } from '@pet-store/access'

/** Where the key of the local start mode is kept, below the working directory. */
export const DEVELOPMENT_KEY_FILE = 'data/development-api-key'

/** The development key: a random one, made on the first start and the same on every later one. */
export async function keepDevelopmentKey(file: string = DEVELOPMENT_KEY_FILE): Promise<string> {
  await mkdir(dirname(file), { recursive: true })
  await writeOnce(file, `${createApiKeyText()}\n`)
  // The mode of an older file may be wider, and a mask may have widened or narrowed that of a new one.
  await chmod(file, 0o600)
  const key = (await readFile(file, 'utf8')).trim()
  if (!isApiKeyText(key))
    throw new Error(`${file} does not hold an API key. Delete it, and the next start makes a new one.`)
  return key
}

/** Leaves a file that exists as it is. */
async function writeOnce(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
