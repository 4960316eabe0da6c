import type { PageValues } from './html/page-html.ts'
import { PAGE_FILES, type PageFile } from './page-files.ts'

/** The pages of the service as text, and the files that they load. */
interface Pages {
  /** The page of the store. */
  store(values: PageValues): Promise<string>
  /** The reference page, made from the OpenAPI description of the service. */
  reference(values: PageValues, openApiJson: string): Promise<string>
  /** Loaded from `docs/<name>`, relative to the address of the first page. */
  readonly files: readonly PageFile[]
}

/**
 * The pages for `createPetApp` of `@pet-store/http-express`. The code that makes them is loaded
 * when a page is requested, so that a start does not take longer.
 */
export const pages: Pages = {
  async store(values) {
    const { storeHtml } = await import('./html/store-html.ts')
    return storeHtml(values)
  },
  async reference(values, openApiJson) {
    const { referenceHtml } = await import('./html/reference-html.ts')
    return referenceHtml(values, openApiJson)
  },
  files: PAGE_FILES,
}
