import { type Html, html } from './html.ts'

/** The values of a page that depend on the service and on the request. */
export interface PageValues {
  /** A key that the page fills in; empty for none. Everybody who can load the page gets it. */
  readonly developmentKey: string
  /** The address of the service for clients, with a slash at its end; empty if it is not known. */
  readonly publicUrl: string
  /**
   * The base address, for readers without JavaScript; the script of the page finds the right one.
   */
  readonly address: string
}

interface Page {
  readonly title: string
  /** The name of its script and its style. */
  readonly name: 'store' | 'reference'
  /** Links past the bar, which are visible only while they have the focus: texts by target id. */
  readonly skipTo: Readonly<Record<string, string>>
  readonly content: Html
}

const LINKS = [
  ['store', './', 'Pets'],
  ['reference', 'docs', 'Reference'],
  ['description', 'openapi.json', 'OpenAPI'],
] as const

/** A whole page: its content, and the head, the bar and the key dialog that both pages have. */
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
<input id="key" type="password" autocomplete="off"
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
