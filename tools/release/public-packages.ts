import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '../root.ts'

export interface PublicPackage {
  readonly name: string
  /** Relative to the root. */
  readonly folder: string
  /** To import it by. */
  readonly specifiers: readonly string[]
}

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, unknown>>
}

/** Every package that is not private. */
export function readPublicPackages(): readonly PublicPackage[] {
  return globSync('packages/*/package.json', { cwd: ROOT })
    .sort()
    .map((file) => ({
      folder: dirname(file),
      ...(JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Manifest),
    }))
    .filter((manifest) => manifest.private !== true)
    .map(({ name, folder, exports }) => {
      const paths = Object.keys(exports).filter((path) => path !== './package.json')
      return { name, folder, specifiers: paths.map((path) => name + path.slice(1)) }
    })
}

/** Where the files of a public repository are, given the `repository.url` of a manifest. */
export function fileAddress(repositoryUrl: string): string {
  return `${repositoryUrl.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/HEAD/`
}
