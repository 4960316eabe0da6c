// The only file that reads the environment.
import { isUtf8 } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'
import { parseEnv } from 'node:util'

/**
 * The environment of the process, with further variables from the file `.env` of the working
 * directory, if there is one.
 */
export function processEnvironment(): NodeJS.ProcessEnv {
  for (const [name, text] of Object.entries(readEnvFile())) {
    if (process.env[name] !== undefined) continue
    process.env[name] = text
    added.set(name, text)
  }
  return process.env
}

/** What `.env` has added to the environment. */
const added = new Map<string, string | undefined>()

/** Whether a variable is set by the file `.env` only. */
export function isOfEnvFile(name: string): boolean {
  return added.has(name) && added.get(name) === process.env[name]
}

function readEnvFile(): NodeJS.Dict<string> {
  // It may be a folder, which container engines create in order to mount a missing file.
  if (!statSync('.env', { throwIfNoEntry: false })?.isFile()) return {}
  const bytes = readFileSync('.env')
  // Windows PowerShell writes UTF-16, in which no variable would be found.
  if (!isUtf8(bytes)) throw new Error('The file .env is not UTF-8. Save it as UTF-8.')
  const text = bytes.toString().trim()
  const line = WITHOUT_EQUALS_SIGN.exec(text.replaceAll(QUOTED_VALUE, '='))
  // Such a line sets nothing.
  if (line !== null) {
    const [, name, separator] = line
    const found = separator === ':' ? '":"' : 'a space'
    throw new Error(`In the file .env, ${name} is followed by ${found} instead of "=".`)
  }
  // `process.loadEnvFile` is not used: it reports a file that it may not read as missing, and makes
  // a byte order mark part of a name.
  return parseEnv(text)
}

/** It may have several lines. */
const QUOTED_VALUE = /=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`)/g
/** A line such as `PORT: 3001` or `PORT 3001`. */
const WITHOUT_EQUALS_SIGN =
  /^[ \t]*(?:export[ \t]+)?([A-Z][A-Z0-9_]*)(?![A-Z0-9_]|[ \t]*=)[ \t]*(:|[ \t])/m
