import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'tsup'
import { ROOT } from './public-packages.ts'

export const HARNESS = 'src/testing/harness.test-support.ts'

/** The drivers, as of the bundle of the program, and what the contract uses too. */
const EXTERNAL = [
  /^(?:better-sqlite3|pg)$/,
  /^@pet-store[/](?:access|domain|persistence|persistence-testing|testing-postgres)$/,
]

/**
 * Bundles an adapter of this repository and its harness into an empty folder, and returns the path
 * of the harness. A check starts dozens of processes that load them, and the libraries are a
 * thousand files: a process then takes a fifth of the CPU time until the adapter is loaded.
 */
export async function bundleAdapter(folder: string, target: string): Promise<string> {
  const source = join(ROOT, 'packages', folder)
  // What stays outside of the bundle is found as the adapter finds it.
  await symlink(join(source, 'node_modules'), join(target, 'node_modules'))
  // Without it Node parses each file once more to find out that it is a module.
  await writeFile(join(target, 'package.json'), '{ "type": "module" }')
  await build({
    config: false,
    silent: true,
    entry: [join(source, 'src/index.ts'), join(source, HARNESS)],
    outDir: join(target, 'src'),
    format: 'esm',
    target: 'es2023',
    external: EXTERNAL,
    banner: {
      js:
        "import { createRequire as requireFrom } from 'node:module'; " +
        'const require = requireFrom(import.meta.url);',
    },
    esbuildOptions(options) {
      options.conditions = ['@pet-store/source']
      options.outbase = join(source, 'src')
    },
  })
  return join(target, HARNESS.replace(/ts$/, 'js'))
}
