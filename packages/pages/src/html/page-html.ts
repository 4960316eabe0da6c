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
  /** Links that are seen once they have the focus: past what every page begins with. */
  readonly skipTo: Readonly<Record<string, string>>
  readonly content: Html
}

const LINKS = [
  ['store', './', 'Pets'],
  ['reference', 'docs', 'Reference'],
  ['description', 'openapi.json', 'OpenAPI'],
] as const

/** A whole page: its head, the bar and the dialog of the key that both pages have, its content. */
export function pageHtml(page: Page, values: PageValues): string {
  const { title, name, skipTo, content } = page
  const skips = Object.entries(skipTo).map(
    ([id, text]) => html`<a class="skip" href="#${id}">${text}</a>`,
  )
  const links = LINKS.map(([target, address, text]) =>
    target === name
      ? html`<a href="${address}" aria-current="page">${text}</a>`
      : html`<a href="${address}">${text}</a>`,
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
<script src="docs/theme.js"></script>
<script src="docs/${name}.js" type="module"></script>
</head>
<body data-development-key="${values.developmentKey}" data-public-url="${values.publicUrl}">
<header class="bar">
${skips}
<a class="brand" href="./" aria-label="Pet Store">
<img src="docs/icon.svg" alt="" width="22" height="22"><span class="brand-name">Pet Store</span>
</a>
<nav aria-label="Pages">${links}</nav>
<button id="theme" class="quiet" type="button" hidden></button>
<button id="open-key" type="button" hidden>API key</button>
</header>
${content}
${keyDialog}
</body>
</html>
`.html
}

const keyDialog = html`<dialog id="key-dialog" aria-labelledby="key-title">
<form id="key-form" class="stack" novalidate>
<h2 id="key-title">API key</h2>
<label for="key">Key</label>
<input id="key" type="password" autocomplete="off" autofocus
  aria-describedby="key-hint key-error">
<p id="key-hint" class="hint">The page sends the key to this service only.</p>
<label class="check"><input id="keep-key" type="checkbox"> Keep it until this tab is closed</label>
<p id="key-error" class="error" role="alert"></p>
<div class="row end">
<button id="cancel-key" type="button">Cancel</button>
<button class="primary" type="submit">Use the key</button>
</div>
</form>
</dialog>`
