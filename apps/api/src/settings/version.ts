import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** The version of the program, from the nearest `package.json`, whether it is built or not. */
export const VERSION: string = (
  JSON.parse(readFileSync(findPackageJSON(import.meta.url) ?? 'package.json', 'utf8')) as {
    version: string
  }
).version
