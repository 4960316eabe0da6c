import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const ROOT: string = join(import.meta.dirname, '..')

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

/**
 * Resolves to the standard output of a command; rejects with everything that it printed if it
 * fails.
 */
export async function run(
  cwd: string,
  [command = '', ...args]: readonly string[],
  {
    input = '',
    env = process.env,
  }: { readonly input?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      args,
      { cwd, env, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout)
        else
          reject(
            new Error(
              `${[command, ...args].join(' ')} in ${cwd}: ${error.message}\n${stdout}${stderr}`,
            ),
          )
      },
    )
    // A command that does not read its input may end before it is written.
    child.stdin?.on('error', () => {}).end(input)
  })
}
