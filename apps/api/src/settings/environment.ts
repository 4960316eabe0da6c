// The only file that reads the environment.
import { readFileSync, statSync } from 'node:fs'
import { parseEnv } from 'node:util'

/**
 * The environment of the process, with further variables from the file `.env` of the working
 * directory, if there is one.
 */
export function processEnvironment(): NodeJS.ProcessEnv {
  // It may be a folder, which container engines create in order to mount a missing file.
  if (!statSync('.env', { throwIfNoEntry: false })?.isFile()) return process.env
  // `process.loadEnvFile` is not used: it reports a file that it may not read as missing, and makes
  // a byte order mark part of a name.
  return Object.assign(process.env, {
    ...parseEnv(readFileSync('.env', 'utf8').trim()),
    ...process.env,
  })
}
