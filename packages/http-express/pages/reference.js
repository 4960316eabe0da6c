// The reference page: Swagger UI with a table of contents, exact integers, folded errors, code samples and paging.
import { pluginFor } from './reference-plugin.js'

const place = document.querySelector('#reference')
const darkMode = matchMedia('(prefers-color-scheme: dark)')

followColorScheme()
darkMode.addEventListener('change', followColorScheme)

try {
  const response = await fetch(new URL('openapi.json', location.href))
  if (!response.ok) throw new Error(`the service responded with ${response.status}`)
  show(await response.json())
} catch (error) {
  place.textContent = `The description could not be loaded: ${error.message}. Reload the page to try again.`
}

/** Swagger UI's dark theme is a class. */
function followColorScheme() {
  document.documentElement.classList.toggle('dark-mode', darkMode.matches)
}

function show(description) {
  // Behind a path prefix only this page knows the whole address, so requests go where the page came from.
  const spec = { ...description, servers: [{ url: new URL('v1', location.href).href }] }
  const ui = globalThis.SwaggerUIBundle({
    spec,
    domNode: place,
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    // The default sends the description to a validator on another host.
    validatorUrl: null,
    plugins: [pluginFor(spec)],
    onComplete: authorize,
  })
  showContents(operationsOf(description), ui)
  nameControls()
  new MutationObserver(nameControls).observe(place, { childList: true, subtree: true })

  function authorize() {
    const key = document.body.dataset.developmentKey
    if (key === '') return
    ui.preauthorizeApiKey('bearerAuth', key)
    document.querySelector('#key-note').hidden = true
    document.querySelector('#development-note').hidden = false
  }
}

/** Swagger UI gives its parameter fields no names, and its scrolling code no focus, for screen readers and keyboards. */
function nameControls() {
  for (const field of place.querySelectorAll('[data-param-name] :is(input, select, textarea):not([aria-label])')) {
    field.setAttribute('aria-label', field.closest('[data-param-name]').dataset.paramName)
  }
  for (const field of place.querySelectorAll('select.content-type:not([aria-label])')) {
    field.setAttribute('aria-label', 'Media type')
  }
  for (const code of place.querySelectorAll('pre:not([tabindex])')) code.tabIndex = 0
}

/** Every operation with the text that the search looks at. */
function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      id: operation.operationId,
      tag: operation.tags[0],
      summary: operation.summary,
      text: `${method} ${path} ${JSON.stringify(operation)}`.toLowerCase(),
    })),
  )
}

function showContents(operations, ui) {
  const items = operations.map(({ id, tag, method, summary, text }) => {
    const link = document.createElement('a')
    link.href = `#/${tag}/${id}`
    const textOf = (name, textContent) => Object.assign(document.createElement(name), { textContent })
    link.append(textOf('code', method.toUpperCase()), ' ', textOf('span', summary))
    link.addEventListener('click', () => {
      ui.layoutActions.show(['operations', tag, id], true)
      document.getElementById(`operations-${tag}-${id}`)?.scrollIntoView()
    })
    const item = document.createElement('li')
    item.append(link)
    return { item, text }
  })
  document.querySelector('#contents').replaceChildren(...items.map(({ item }) => item))
  const search = document.querySelector('#search')
  search.addEventListener('input', filter)
  // Words may have been typed while the description was loading.
  filter()

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/)
    for (const { item, text } of items) item.hidden = !words.every((word) => text.includes(word))
    const isEmpty = items.every(({ item }) => item.hidden)
    document.querySelector('#no-result').textContent = isEmpty ? 'No operation contains these words.' : ''
  }
}
