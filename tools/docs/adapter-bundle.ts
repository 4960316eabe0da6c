import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'tsup'
import { ROOT } from '../root.ts'

export const HARNESS = 'src/testing/harness.test-support.ts'

/**
 * The driver with a compiled part, what the other one needs only if it is installed, and what only
 * starts servers.
 */
const EXTERNAL = [/^(?:better-sqlite3|pg-native)$/, /^@pet-store[/]testing-postgres$/]

/**
 * Bundles an adapter of this repository, its harness and the command that checks it into an empty
 * folder, and returns the paths of the command and of the harness. A check starts sixty processes
 * that load them, and they are a thousand files: a process then takes a fifth of the CPU time until
 * the adapter is loaded.
 */
export async function bundleAdapter(
  folder: string,
  target: string,
): Promise<{ readonly command: string; readonly harness: string }> {
  const source = join(ROOT, 'packages', folder)
  const testing = join(ROOT, 'packages/persistence-testing/src')
  // What stays outside of the bundle is found as the adapter finds it.
  await symlink(join(source, 'node_modules'), join(target, 'node_modules'))
  // Without it Node parses each file once more to find out that it is a module.
  await writeFile(join(target, 'package.json'), '{ "type": "module" }')
  await build({
    config: false,
    silent: true,
    // Each where it is in its package once that is built.
    entry: {
      'src/index': join(source, 'src/index.ts'),
      [withoutEnd(HARNESS)]: join(source, HARNESS),
      bin: join(testing, 'bin.ts'),
      'check/cases-as-tests': join(testing, 'check/cases-as-tests.ts'),
    },
    outDir: target,
    format: 'esm',
    target: 'es2023',
    removeNodeProtocol: false,
    external: EXTERNAL,
    banner: {
      js:
        "import { createRequire as requireFrom } from 'node:module'; " +
        'const require = requireFrom(import.meta.url);',
    },
    esbuildOptions(options) {
      options.conditions = ['@pet-store/source']
      // Each process reads a third less, which saves it 9 ms of CPU time.
      options.minifyWhitespace = true
    },
  })
  return { command: join(target, 'bin.js'), harness: join(target, `${withoutEnd(HARNESS)}.js`) }
}

function withoutEnd(file: string): string {
  return file.replace(/[.]ts$/, '')
}
