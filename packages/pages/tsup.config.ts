import { join } from 'node:path'
import { defineConfig } from 'tsup'
import { bundlePageFiles } from './src/bundle-page-files.ts'

const SOURCE = join(import.meta.dirname, 'src')

export default defineConfig({
  entry: ['src/index.ts'],
  format: 'esm',
  target: 'es2023',
  sourcemap: true,
  clean: true,
  esbuildPlugins: [
    {
      // What the pages load is bundled once, here, and not where they are served.
      name: 'page-files',
      setup(build) {
        build.onLoad({ filter: /[\\/]bundle-page-files\.ts$/ }, async () => ({
          contents: `const files = ${JSON.stringify(await bundlePageFiles(SOURCE))}
            export const bundlePageFiles = async () => files`,
          loader: 'js',
        }))
      },
    },
  ],
})
