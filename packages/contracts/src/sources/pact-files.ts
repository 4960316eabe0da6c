import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PROVIDER } from '../states/provider-states.ts'

/** The contracts of this repository. */
export const PACTS: string = join(import.meta.dirname, '../../pacts')

/**
 * That of the client, which is compared with the description too, and published. The others are of
 * other teams.
 */
export const CLIENT_PACT: string = join(PACTS, 'pet-store-client-pet-store.json')

/** A contract in a file. */
export interface PactFile {
  readonly path: string
  readonly consumer: string
  readonly interactions: number
}

/**
 * The contracts at these paths of files or folders. Throws a `RangeError` if there is none, or one
 * has another provider.
 */
export function readPactFiles(paths: readonly string[]): readonly PactFile[] {
  return paths.flatMap(filesAt).map(readPactFile)
}

function filesAt(path: string): readonly string[] {
  if (!existsSync(path)) throw new RangeError(`There is no ${path}.`)
  if (!statSync(path).isDirectory()) return [path]
  const files = readdirSync(path).filter((name) => name.endsWith('.json'))
  if (files.length === 0) throw new RangeError(`There are no .json files in ${path}.`)
  return files.sort().map((name) => join(path, name))
}

function readPactFile(path: string): PactFile {
  let pact: { readonly consumer?: Name; readonly provider?: Name; readonly interactions?: unknown }
  try {
    pact = Object(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    throw new RangeError(`${path} is not JSON.`, { cause })
  }
  const { consumer, provider, interactions } = pact
  if (provider?.name !== PROVIDER) {
    throw new RangeError(
      `${path}: the provider is ${JSON.stringify(provider?.name)} instead of "${PROVIDER}".`,
    )
  }
  if (!Array.isArray(interactions) || interactions.length === 0)
    throw new RangeError(`${path} has no interactions.`)
  return { path, consumer: consumer?.name ?? '', interactions: interactions.length }
}

interface Name {
  readonly name?: string
}
