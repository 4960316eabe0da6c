import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** A file that a page loads. */
export interface PageAsset {
  readonly type: string
  readonly body: Buffer
  readonly gzipped: Buffer
}

/** The files of the pages. */
export interface PageFiles {
  /** A hash of all assets. It is part of their addresses, so that the content at an address never changes. */
  readonly version: string
  readonly assets: ReadonlyMap<string, PageAsset>
  /** The page as HTML, with values in the place of `{{names}}`. */
  page(name: 'reference' | 'store', values: Readonly<Record<string, string>>): string
}

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const

/** A paw as a data URL: no request, and no file that could be missing. Its green is readable on light and dark. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="#2b937a"><ellipse cx="16" cy="21.5" rx="7.5" ry="6.5"/><ellipse cx="5.5" cy="14" rx="3" ry="4"/><ellipse cx="12" cy="7.5" rx="3" ry="4.2"/><ellipse cx="20" cy="7.5" rx="3" ry="4.2"/><ellipse cx="26.5" cy="14" rx="3" ry="4"/></svg>',
)}`

// From the manifest of this package, because a program may be bundled and lie elsewhere.
const MANIFEST = createRequire(import.meta.url).resolve('@pet-store/http-express/package.json')
const require = createRequire(MANIFEST)

/**
 * Finds the files of the pages and returns a function that reads them on its first call. Throws if the package
 * `swagger-ui-dist` is not installed, so that a broken installation does not start.
 */
export function findPageFiles(): () => Promise<PageFiles> {
  const assets = {
    'swagger-ui.css': require.resolve('swagger-ui-dist/swagger-ui.css'),
    'swagger-ui-bundle.js': require.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
    'page.css': ownFile('page.css'),
    'reference.css': ownFile('reference.css'),
    'reference.js': ownFile('reference.js'),
    'reference-plugin.js': ownFile('reference-plugin.js'),
    'store.js': ownFile('store.js'),
    // The typed client, bundled by `build:pages`.
    'client.js': ownFile('built/client.js'),
  }
  let files: Promise<PageFiles> | undefined
  return () => {
    files ??= readPageFiles(assets).catch((error) => {
      files = undefined
      throw error
    })
    return files
  }
}

function ownFile(name: string): string {
  return join(dirname(MANIFEST), 'pages', name)
}

async function readPageFiles(paths: Readonly<Record<string, string>>): Promise<PageFiles> {
  const [reference, store] = await Promise.all(
    ['reference.html', 'store.html'].map((name) => readFile(ownFile(name), 'utf8')),
  )
  const pages: Readonly<Record<string, string | undefined>> = { reference, store }
  const assets = new Map(
    await Promise.all(Object.entries(paths).map(async ([name, path]) => [name, await readAsset(name, path)] as const)),
  )
  const hash = createHash('sha256')
  for (const { body } of assets.values()) hash.update(body)
  const version = hash.digest('hex').slice(0, 12)
  return {
    version,
    assets,
    page: (name, values) => fill(pages[name] ?? '', { icon: ICON, assets: `docs/${version}`, ...values }),
  }
}

async function readAsset(name: string, path: string): Promise<PageAsset> {
  // Developer tools would request the source map, which is not served.
  const text = (await readFile(path, 'utf8')).replace(/\/\*# sourceMappingURL=\S+\*\/\s*$/, '')
  const body = Buffer.from(text)
  return { type: TYPES[name.endsWith('.css') ? 'css' : 'js'], body, gzipped: await promisify(gzip)(body) }
}

function fill(page: string, values: Readonly<Record<string, string>>): string {
  return page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? ''))
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
