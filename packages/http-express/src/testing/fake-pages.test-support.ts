import type { Pages } from '../routes/page-routes.ts'

/** Pages that show the values that they were given. */
export const FAKE_PAGES: Pages = {
  store: async (values) => `store ${JSON.stringify(values)}`,
  reference: async (values, openApiJson) =>
    `reference ${JSON.stringify(values)} ${openApiJson.length}`,
  files: [
    { name: 'store.css', type: 'text/css; charset=utf-8', read: async () => 'body { margin: 0 }' },
    { name: 'icon.svg', type: 'image/svg+xml', read: async () => '<svg/>' },
  ],
}
