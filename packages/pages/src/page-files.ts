/** A file that a page loads. */
export interface PageFile {
  /** Such as `store.js`. */
  readonly name: string
  /** Its media type. */
  readonly type: string
  read(): Promise<string>
}

const TYPES = {
  'icon.svg': 'image/svg+xml',
  'reference.css': 'text/css; charset=utf-8',
  'reference.js': 'text/javascript; charset=utf-8',
  'store.css': 'text/css; charset=utf-8',
  'store.js': 'text/javascript; charset=utf-8',
  'theme.js': 'text/javascript; charset=utf-8',
}

/**
 * The files of the pages. Scripts and styles are bundled when the package is built. If it runs from
 * source, they are bundled for each request, so that loading the page again shows a change.
 */
export const PAGE_FILES: readonly PageFile[] = Object.entries(TYPES).map(([name, type]) => ({
  name,
  type,
  async read() {
    const { bundlePageFiles } = await import('./bundle-page-files.ts')
    const text = (await bundlePageFiles())[name]
    if (text === undefined) throw new TypeError(`The pages have no file ${name}.`)
    return text
  },
}))
