// The pages for browsers
export { pages } from './pages.ts'

// What they are made of
export type { PageValues } from './html/page-html.ts'
export type { PageFile } from './page-files.ts'
