import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'tsup'

const SOURCE = new URL('open-persistence.test-support.ts', import.meta.url)

/**
 * Bundles the file adapter into a folder, and returns its URL there: the processes that cases start
 * load one file in two thirds of the CPU time of fifty.
 */
export async function bundleFileAdapter(folder: string): Promise<string> {
  // Without it Node parses the file once more to find out that it is a module.
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await build({
    config: false,
    silent: true,
    entry: { adapter: fileURLToPath(SOURCE) },
    outDir: folder,
    format: 'esm',
    target: 'es2023',
    removeNodeProtocol: false,
    esbuildOptions(options) {
      options.conditions = ['@pet-store/source']
    },
  })
  return pathToFileURL(join(folder, 'adapter.js')).href
}
