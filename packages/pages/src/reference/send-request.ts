import { find } from '../browser/elements.ts'
import { indented } from '../browser/exact-json.ts'
import { baseUrl } from '../browser/page-values.ts'
import { type FormRequest, formOf, headersOf, readForm, targetOf } from './request-form.ts'

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

/** Makes the form of an operation send its request, and shows the response. */
export function setUpForm(operation: HTMLElement, apiKey: () => string | undefined): void {
  const form = formOf(operation)
  const outcome = find(form, '.outcome')
  let isBusy = false
  const send = async (request: FormRequest): Promise<void> => {
    if (isBusy) return
    isBusy = true
    outcome.textContent = 'Sending…'
    try {
      const response = await fetchResponse(request, apiKey())
      outcome.textContent = response.outcome
      showResponse(operation, response.head, response.body)
      offerNextPage(form, request, response.link, send)
    } catch (error) {
      find(form, '.answer').hidden = true
      outcome.textContent = `No response: ${error instanceof Error ? error.message : String(error)}`
    }
    isBusy = false
  }
  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(readForm(operation))
  })
}

/** Shows a response, or an example of one. */
export function showResponse(operation: HTMLElement, head: string, body: string): void {
  const form = formOf(operation)
  find(form, '.headers').textContent = head
  find(form, '.body').textContent = body
  find(form, '.answer').hidden = false
}

async function fetchResponse(request: FormRequest, apiKey: string | undefined) {
  const { method, body } = request
  const started = performance.now()
  const response = await fetch(`${baseUrl}${targetOf(request)}`, {
    method,
    headers: headersOf(request, apiKey),
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(30_000),
  })
  const text = await response.text()
  const duration = Math.round(performance.now() - started)
  const head = SHOWN_HEADERS.filter((name) => response.headers.has(name))
  return {
    outcome: `${response.status} ${response.statusText}, ${duration} ms`,
    head: head.map((name) => `${name}: ${response.headers.get(name)}`).join('\n'),
    body: indented(text),
    link: response.headers.get('link') ?? '',
  }
}

function offerNextPage(
  form: HTMLFormElement,
  request: FormRequest,
  link: string,
  send: (request: FormRequest) => Promise<void>,
): void {
  const [, search] = /<[^>?]*\?([^>]*)>; *rel="next"/.exec(link) ?? []
  const button = find(form, '.next-page', HTMLButtonElement)
  button.hidden = search === undefined
  button.onclick = () =>
    void send({ ...request, query: Object.fromEntries(new URLSearchParams(search)) })
}
