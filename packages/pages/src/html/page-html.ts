import { type Html, html } from './html.ts'

/** What differs between two services, and between two requests for a page. */
export interface PageValues {
  /** A key that the page fills in; empty for none. Everybody who can load the page has it. */
  readonly developmentKey: string
  /** Where others reach the service, with a slash at its end; empty where that is not known. */
  readonly publicUrl: string
  /** The base address, for readers without JavaScript; scripts know it behind any proxy. */
  readonly address: string
}

interface Page {
  readonly title: string
  /** Of its script and its style. */
  readonly name: 'store' | 'reference'
  /** What stands in the bar at the end. */
  readonly action: Html
  readonly content: Html
}

const LINKS = [
  ['store', './', 'Pets'],
  ['reference', 'docs', 'Reference'],
  ['description', 'openapi.json', 'OpenAPI'],
] as const

/** A whole page: its head, the bar that both pages have, and its content. */
export function pageHtml({ title, name, action, content }: Page, values: PageValues): string {
  const links = LINKS.map(([page, target, text]) =>
    page === name
      ? html`<a href="${target}" aria-current="page">${text}</a>`
      : html`<a href="${target}">${text}</a>`,
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="docs/icon.svg">
<link rel="stylesheet" href="docs/${name}.css">
<script src="docs/${name}.js" type="module"></script>
</head>
<body data-development-key="${values.developmentKey}" data-public-url="${values.publicUrl}">
<header class="bar">
<a class="brand" href="./" aria-label="Pet Store">
<img src="docs/icon.svg" alt="" width="24" height="24"><span class="brand-name">Pet Store</span>
</a>
<nav aria-label="Pages">${links}</nav>
${action}
</header>
${content}
</body>
</html>
`.html
}
