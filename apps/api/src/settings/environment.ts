// The only file that reads the environment.
import { readFileSync, statSync } from 'node:fs'
import { parseEnv } from 'node:util'

/**
 * The environment of the process, completed from the file `.env` of the working directory, if there
 * is one.
 */
export function processEnvironment(): NodeJS.ProcessEnv {
  // Container engines make a folder of that name where a missing file is to be mounted.
  if (!statSync('.env', { throwIfNoEntry: false })?.isFile()) return process.env
  // Not process.loadEnvFile: it says that a file that it may not read is missing, and makes a byte
  // order mark part of a name.
  return Object.assign(process.env, {
    ...parseEnv(readFileSync('.env', 'utf8').trim()),
    ...process.env,
  })
}
