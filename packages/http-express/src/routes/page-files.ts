import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { openApiJson } from './description-route.ts'
import { fillTemplate } from './html.ts'

/** A file that a page loads. */
export interface PageAsset {
  readonly type: string
  readonly body: Buffer
  readonly gzipped: Buffer
}

/** The pages and the files that they load. */
export interface PageFiles {
  /** A hash of all assets. It is part of their addresses, so that the content at an address never changes. */
  readonly version: string
  readonly assets: ReadonlyMap<string, PageAsset>
  /** The page as HTML, with these values in the place of `{{names}}`. */
  page(name: 'reference' | 'store', values: Readonly<Record<string, string>>): string
}

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const

/** A paw as a data URL: no request, and no file that could be missing. Its green is readable on light and dark. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="#2b937a"><ellipse cx="16" cy="21.5" rx="7.5" ry="6.5"/><ellipse cx="5.5" cy="14" rx="3" ry="4"/><ellipse cx="12" cy="7.5" rx="3" ry="4.2"/><ellipse cx="20" cy="7.5" rx="3" ry="4.2"/><ellipse cx="26.5" cy="14" rx="3" ry="4"/></svg>',
)}`

// From the manifest of this package, because a program may be bundled and lie elsewhere.
const MANIFEST = createRequire(import.meta.url).resolve('@pet-store/http-express/package.json')

/** Returns a function that reads the files of the pages on its first call. */
export function createPageFiles(): () => Promise<PageFiles> {
  let files: Promise<PageFiles> | undefined
  return () => {
    files ??= readPageFiles().catch((error) => {
      files = undefined
      throw error
    })
    return files
  }
}

async function readPageFiles(): Promise<PageFiles> {
  const folder = join(dirname(MANIFEST), 'pages')
  const [files, store, reference, json, { referenceHtml }] = await Promise.all([
    // With the typed client, bundled by `build:pages`.
    readdir(folder, { recursive: true }),
    readFile(join(folder, 'store.html'), 'utf8'),
    readFile(join(folder, 'reference.html'), 'utf8'),
    openApiJson(),
    import('./reference-html.ts'),
  ])
  const names = files.filter((name) => /\.(css|js)$/.test(name)).sort()
  const assets = new Map(
    await Promise.all(names.map(async (name) => [basename(name), await readAsset(join(folder, name))] as const)),
  )
  const hash = createHash('sha256')
  for (const { body } of assets.values()) hash.update(body)
  const version = hash.digest('hex').slice(0, 12)
  const common = { icon: ICON, assets: `docs/${version}` }
  const parts = referenceHtml(json)
  return {
    version,
    assets,
    page: (name, values) =>
      name === 'store'
        ? fillTemplate(store, { ...common, ...values })
        : fillTemplate(reference, { ...common, ...parts, ...values }),
  }
}

async function readAsset(path: string): Promise<PageAsset> {
  const body = await readFile(path)
  return { type: TYPES[path.endsWith('.css') ? 'css' : 'js'], body, gzipped: await promisify(gzip)(body) }
}
