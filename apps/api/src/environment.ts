import { existsSync } from 'node:fs'

/** The environment of the process, and under it the file `.env` of the working directory where there is one. */
export function processEnvironment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env')
  return process.env
}
