import { statSync } from 'node:fs'

/** The environment of the process, and under it the file `.env` of the working directory where there is one. */
export function processEnvironment(): NodeJS.ProcessEnv {
  // A folder of that name is what container engines make where a file is to be mounted that is not there.
  if (statSync('.env', { throwIfNoEntry: false })?.isFile()) process.loadEnvFile('.env')
  return process.env
}
