import { find, make } from '../browser/elements.ts'
import { indented } from '../browser/exact-json.ts'
import { showCode } from '../browser/highlight.ts'
import { baseUrl } from '../browser/page-values.ts'
import { markInvalid } from './mark-invalid.ts'
import { type FormRequest, formOf, headersOf, readForm, targetOf } from './request-form.ts'
import type { Tabs } from './tabs.ts'

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

const TIMEOUT_MS = 30_000

/**
 * Makes the form of an operation send its request. The response is shown in a tab of its own,
 * before the examples.
 */
export function setUpForm(
  operation: HTMLElement,
  responses: Tabs,
  apiKey: () => string | undefined,
): void {
  const form = formOf(operation)
  const outcome = find(form, '.outcome')
  const nextPage = find(form, '.next-page', HTMLButtonElement)
  let isBusy = false

  async function send(): Promise<void> {
    if (isBusy || !markInvalid(form, find(form, '.error'))) return
    isBusy = true
    outcome.textContent = 'Sending…'
    try {
      const response = await fetchResponse(readForm(operation), apiKey())
      outcome.textContent = response.outcome
      if (response.status === 401 && apiKey() === undefined)
        outcome.textContent += '. Press “API key” at the top, and paste yours.'
      showResponse(operation, responses, response)
      offerNextPage(response.link)
    } catch (error) {
      showResponse(operation, responses, undefined)
      outcome.textContent = `No response: ${reasonOf(error)}`
    }
    isBusy = false
  }

  /** Shows the button for the next page, which fills in the cursor and sends the form again. */
  function offerNextPage(link: string): void {
    const [, search] = /<[^>?]*\?([^>]*)>; *rel="next"/.exec(link) ?? []
    const cursor = new URLSearchParams(search).get('cursor')
    nextPage.hidden = cursor === null
    nextPage.onclick = () => {
      const input = find(form, '[data-name="cursor"]', HTMLInputElement)
      input.value = cursor ?? ''
      input.dispatchEvent(new Event('input', { bubbles: true }))
      void send()
    }
  }

  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send()
  })
}

/** Shows a response in a tab before the others, or removes that tab if there is no response. */
function showResponse(
  operation: HTMLElement,
  responses: Tabs,
  response: { readonly head: string; readonly body: string } | undefined,
): void {
  const id = `${operation.id}-response`
  const root = find(operation, `#${id}`)
  const name = 'received'
  root.querySelector(`#${id}-${name}-tab`)?.remove()
  root.querySelector(`#${id}-${name}`)?.remove()
  const first = find(root, '[role=tab]')
  if (response !== undefined) {
    const tab = make('button', { type: 'button', className: 'tab', role: 'tab' }, 'Response')
    tab.id = `${id}-${name}-tab`
    tab.dataset['name'] = name
    tab.setAttribute('aria-controls', `${id}-${name}`)
    const panel = make('pre', { id: `${id}-${name}`, role: 'tabpanel', tabIndex: 0 })
    panel.className = 'received'
    panel.setAttribute('aria-labelledby', tab.id)
    const body = make('span')
    showCode(body, response.body)
    panel.append(`${response.head}\n\n`, body)
    first.before(tab)
    root.append(panel)
  }
  responses.select(response === undefined ? (first.dataset['name'] ?? '') : name)
}

async function fetchResponse(request: FormRequest, apiKey: string | undefined) {
  const { method, body } = request
  const started = performance.now()
  const response = await fetch(`${baseUrl}${targetOf(request)}`, {
    method,
    headers: headersOf(request, apiKey),
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const text = await response.text()
  const duration = Math.round(performance.now() - started)
  const head = SHOWN_HEADERS.filter((name) => response.headers.has(name))
  return {
    status: response.status,
    outcome: `${response.status} ${response.statusText}, ${duration} ms`,
    head: head.map((name) => `${name}: ${response.headers.get(name)}`).join('\n'),
    body: indented(text),
    link: response.headers.get('link') ?? '',
  }
}

/** Says why there is no response: each browser has another text for it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `none came within ${TIMEOUT_MS / 1000} seconds.`
  return error instanceof TypeError ? 'the service cannot be reached.' : error.message
}
