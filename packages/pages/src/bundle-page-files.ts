// In the built package, this module is replaced by its result (tsup.config.ts).
import { basename, join } from 'node:path'

const ENTRIES = [
  'styles/icon.svg',
  'styles/reference.css',
  'styles/store.css',
  'reference/reference.ts',
  'store/store.ts',
  'browser/theme.ts',
]

/**
 * Returns the files that the pages load by their names: bundled with their imports, and minified.
 */
export async function bundlePageFiles(
  folder: string = import.meta.dirname,
): Promise<Readonly<Record<string, string>>> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: ENTRIES.map((file) => join(folder, file)),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    // Bundles the client from its source, because it may not be built yet.
    conditions: ['@pet-store/source'],
    loader: { '.svg': 'copy' },
    entryNames: '[name]',
    outdir: folder,
    write: false,
  })
  return Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text]))
}
