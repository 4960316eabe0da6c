import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const ROOT: string = join(import.meta.dirname, '..')

export interface PublicPackage {
  readonly name: string
  /** Relative to the root. */
  readonly folder: string
  /** The names to import it by, with the declarations of each. */
  readonly entries: readonly { readonly specifier: string; readonly types: string }[]
}

/** Where the files of a public repository are, given the `repository.url` of a manifest. */
export function fileAddress(repositoryUrl: string): string {
  return `${repositoryUrl.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/HEAD/`
}

/** Every package that is not private. */
export function readPublicPackages(): readonly PublicPackage[] {
  return globSync('packages/*/package.json', { cwd: ROOT })
    .sort()
    .map((file) => {
      const {
        name,
        private: isPrivate,
        exports,
      } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as {
        readonly name: string
        readonly private?: boolean
        readonly exports: Readonly<Record<string, string | { readonly types: string }>>
      }
      const entries = Object.entries(exports).flatMap(([path, entry]) =>
        typeof entry === 'string' ? [] : [{ specifier: name + path.slice(1), types: entry.types }],
      )
      return { name, folder: dirname(file), entries, isPrivate: isPrivate === true }
    })
    .filter(({ isPrivate }) => !isPrivate)
}
