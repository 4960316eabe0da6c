import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createApiKeyText, isApiKeyText } from '@pet-store/access'
import { fileError } from '../messages/file-error.ts'

/** Relative to the working directory. */
export const DEVELOPMENT_KEY_FILE = 'data/development-api-key'

/** The development key: random, created by the first start and reused by every later one. */
export async function readOrCreateDevelopmentKey(): Promise<string> {
  const folder = dirname(DEVELOPMENT_KEY_FILE)
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw fileError('create the folder', folder, error)
  })
  const key = await readOrCreateFile(DEVELOPMENT_KEY_FILE, `${createApiKeyText()}\n`)
  if (!isApiKeyText(key)) {
    throw new Error(
      `${DEVELOPMENT_KEY_FILE} does not contain an API key. ` +
        'Delete it, and the next start creates a new one.',
    )
  }
  return key
}

/**
 * Returns the text of a file, which is created with `text` if it is missing, and makes the file
 * readable for its owner only.
 */
async function readOrCreateFile(file: string, text: string): Promise<string> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      },
    )
    const stored = await readFile(file, 'utf8')
    // An existing file may be readable by others, and a umask may have changed the mode of a new
    // one. Reading has shown that it is not a folder, whose mode must not be changed.
    await chmod(file, 0o600)
    return stored.trim()
  } catch (error) {
    throw fileError('read or create', file, error as NodeJS.ErrnoException)
  }
}
