// The reference page: samples with the page's own address and key, and forms that send requests.
// The service has written the text of the page itself.
import { copyOnPress, curlLine } from './curl.js'
import { baseUrl, developmentKey, keyFrom, publicBaseUrl } from './key.js'

const element = (id) => document.getElementById(id)
const SHOWN_HEADERS = [
  'link',
  'location',
  'retry-after',
  'idempotency-replayed',
  'preference-applied',
  'deprecation',
  'sunset',
  'x-request-id',
]
let apiKey = developmentKey

element('base').textContent = publicBaseUrl
element('open-key').hidden = false
setUpKeyDialog()
sayKey()
for (const operation of document.querySelectorAll('.operation')) {
  setUpSamples(operation)
  setUpForm(operation)
}
markActiveLink()
await showExamples()

function sayKey() {
  if (developmentKey !== undefined && apiKey === developmentKey) {
    element('key-note').textContent =
      'The development key of this machine is filled in: press Send at any operation.'
  } else if (apiKey === undefined) {
    element('key-note').textContent =
      'To send requests from this page, press “API key” and paste yours.'
  } else element('key-note').textContent = 'Your API key is used until you leave the page.'
}

/** A modal `dialog` keeps the focus inside, and gives it back to the button. */
function setUpKeyDialog() {
  const dialog = element('key-dialog')
  element('open-key').addEventListener('click', () => {
    element('key').value = ''
    element('key-error').textContent = ''
    dialog.showModal()
  })
  element('close-key').addEventListener('click', () => dialog.close())
  element('key-form').addEventListener('submit', (event) => {
    event.preventDefault()
    try {
      apiKey = keyFrom(element('key').value)
      sayKey()
      dialog.close()
    } catch (error) {
      element('key-error').textContent = error.message
      element('key').focus()
    }
  })
}

function setUpSamples(operation) {
  const tabs = [...operation.querySelectorAll('[role=tab]')]
  const panels = [...operation.querySelectorAll('[role=tabpanel]')]
  for (const panel of panels) panel.textContent = withOwnValues(panel.textContent)
  const select = (index) => {
    for (const [position, tab] of tabs.entries()) {
      tab.ariaSelected = `${position === index}`
      tab.tabIndex = position === index ? 0 : -1
      panels[position].hidden = position !== index
    }
  }
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener('click', () => select(index))
    tab.addEventListener('keydown', ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
      if (step === undefined) return
      const other = (index + step + tabs.length) % tabs.length
      select(other)
      tabs[other].focus()
    })
  }
  select(0)
  copyOnPress(
    operation.querySelector('.copy'),
    () => panels.find((panel) => !panel.hidden).textContent,
  )
}

/** Puts the address, and the key of a development machine, in the place of the variables. */
function withOwnValues(sample) {
  const address = sample
    .replaceAll('$BASE_URL', publicBaseUrl)
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it stands in the sample.
    .replaceAll('${process.env.BASE_URL}', publicBaseUrl)
    .replaceAll(/os\.environ\["BASE_URL"\] \+ "|os\.Getenv\("BASE_URL"\)\+"/g, `"${publicBaseUrl}`)
  if (developmentKey === undefined) return address
  return (
    address
      .replaceAll('$API_KEY', developmentKey)
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it stands in the sample.
      .replaceAll('${process.env.API_KEY}', developmentKey)
      .replaceAll(
        /"Bearer " ?\+ ?(?:os\.environ\["API_KEY"\]|os\.Getenv\("API_KEY"\))/g,
        `"Bearer ${developmentKey}"`,
      )
      .replace('import os, ', 'import ')
  )
}

function setUpForm(operation) {
  const form = operation.querySelector('.try')
  const { method } = operation.dataset
  const curl = operation.querySelector('[role=tabpanel]')
  form.hidden = false
  form.addEventListener('input', () => {
    const { target, headers, body } = requestOf(operation)
    curl.textContent = curlLine(target, { method, headers, body })
  })
  let isBusy = false
  const send = async (request) => {
    if (isBusy) return
    isBusy = true
    form.querySelector('.outcome').textContent = 'Sending…'
    try {
      await showResponse(form, method, request, send)
    } catch (error) {
      form.querySelector('.answer').hidden = true
      form.querySelector('.outcome').textContent = `No response: ${error.message}`
    }
    isBusy = false
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(requestOf(operation))
  })
}

/** The request that the form describes. Empty fields are left out. */
function requestOf(operation) {
  let path = operation.dataset.path
  const query = new URLSearchParams()
  const headers = {}
  for (const { value, dataset } of operation.querySelectorAll('.fields [data-in]')) {
    if (dataset.in === 'path')
      path = path.replace(`{${dataset.name}}`, encodeURIComponent(value.trim()))
    else if (value.trim() !== '' && dataset.in === 'query') query.set(dataset.name, value.trim())
    else if (value.trim() !== '') headers[dataset.name] = value.trim()
  }
  const body = operation.querySelector('textarea')?.value
  return { target: `${path}${query.size === 0 ? '' : `?${query}`}`, headers, body }
}

async function showResponse(form, method, { target, headers, body }, send) {
  const started = performance.now()
  const response = await fetch(`${baseUrl}${target}`, {
    method,
    headers: {
      ...headers,
      ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    body,
    signal: AbortSignal.timeout(30_000),
  })
  const text = await response.text()
  const part = (name) => form.querySelector(name)
  const duration = Math.round(performance.now() - started)
  part('.outcome').textContent = `${response.status} ${response.statusText}, ${duration} ms`
  part('.headers').textContent = SHOWN_HEADERS.filter((name) => response.headers.has(name))
    .map((name) => `${name}: ${response.headers.get(name)}`)
    .join('\n')
  part('.body').textContent = indented(text)
  part('.answer').hidden = false
  const next = /<\?([^>]*)>; *rel="next"|<[^>?]*\?([^>]*)>; *rel="next"/.exec(
    response.headers.get('link') ?? '',
  )
  const button = part('.next-page')
  button.hidden = next === null
  button.onclick = () =>
    void send({ target: `${target.split('?')[0]}?${next[1] ?? next[2]}`, headers })
}

/** Shows the example of the description where no request was sent yet. */
async function showExamples() {
  const { paths } = await (await fetch('openapi.json')).json()
  for (const operation of document.querySelectorAll('.operation')) {
    const { path, method } = operation.dataset
    // The lowest status is that of success.
    const [[status, { content }]] = Object.entries(paths[path][method.toLowerCase()].responses)
    const part = (name) => operation.querySelector(name)
    if (part('.outcome').textContent !== '') continue
    part('.headers').textContent = `${status}, an example`
    part('.body').textContent = JSON.stringify(content['application/json'].example, undefined, 2)
    part('.answer').hidden = false
  }
}

/**
 * JSON on several lines, its numbers digit for digit; other text, and in older browsers any, as it
 * is.
 */
function indented(text) {
  try {
    const exact = (_key, value, { source }) =>
      typeof value === 'number' ? JSON.rawJSON(source) : value
    const json = JSON.stringify(JSON.parse(text, exact), undefined, 2)
    // Control characters of direction would reorder what stands around a string.
    return json.replaceAll(
      /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
      (it) => `\\u${it.charCodeAt(0).toString(16)}`,
    )
  } catch {
    return text
  }
}

/**
 * Marks the section that is read in the contents: the last one that begins where a link would
 * scroll it to, or above.
 */
function markActiveLink() {
  const links = [...document.querySelectorAll('.sidebar a')]
  const topOf = (link) => element(link.hash.slice(1)).getBoundingClientRect().top
  const mark = () => {
    const page = document.documentElement
    const start = Number.parseFloat(getComputedStyle(page).scrollPaddingTop) + 1
    const isEnd = scrollY + innerHeight >= page.scrollHeight - 1
    const active = isEnd
      ? links.at(-1)
      : (links.findLast((link) => topOf(link) <= start) ?? links[0])
    for (const link of links) link.ariaCurrent = link === active ? 'true' : null
  }
  addEventListener('scroll', mark, { passive: true })
  mark()
}
