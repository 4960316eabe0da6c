import { statSync } from 'node:fs'

/** The environment of the process, completed from the file `.env` of the working directory, if there is one. */
export function processEnvironment(): NodeJS.ProcessEnv {
  // Container engines make a folder of that name where a missing file is to be mounted.
  if (statSync('.env', { throwIfNoEntry: false })?.isFile()) process.loadEnvFile('.env')
  return process.env
}
