// The reference page: samples with the page's own address and key, and forms that send requests.
// The service has written the text of the page itself.
import { byId, find } from '../browser/elements.ts'
import { keptKey } from '../browser/kept-key.ts'
import { setUpKeyDialog } from '../browser/key-dialog.ts'
import { developmentKey, publicBaseUrl } from '../browser/page-values.ts'
import { setUpThemeSwitch } from '../browser/theme-switch.ts'
import { markActiveLink } from './active-link.ts'
import { formOf } from './request-form.ts'
import { setUpTabs, showSamples } from './sample-tabs.ts'
import { setUpForm, showResponse } from './send-request.ts'

let apiKey = developmentKey ?? keptKey()
const operations = [...document.querySelectorAll<HTMLElement>('.operation')]

byId('base').textContent = publicBaseUrl
setUpThemeSwitch()
setUpKeyDialog(async (key) => {
  apiKey = key
  for (const operation of operations) showSamples(operation, apiKey)
  sayKey()
  return undefined
})
sayKey()
for (const operation of operations) {
  setUpTabs(operation)
  setUpForm(operation, () => apiKey)
  showSamples(operation, apiKey)
  formOf(operation).addEventListener('input', () => showSamples(operation, apiKey))
}
markActiveLink()
await showExamples()

function sayKey(): void {
  const note = byId('key-note')
  if (developmentKey !== undefined && apiKey === developmentKey) {
    note.textContent =
      'The development key of this machine is filled in: press Send at any operation.'
  } else if (apiKey === undefined) {
    note.textContent = 'To send requests from this page, press “API key” and paste yours.'
  } else note.textContent = 'Your API key is used until you leave the page.'
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
}

interface DescribedOperation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly example?: unknown }>> }>
  >
}

/** Shows the example of the description where no request was sent yet. */
async function showExamples(): Promise<void> {
  const { paths } = (await (await fetch('openapi.json')).json()) as Described
  for (const operation of operations) {
    const { path = '', method = '' } = operation.dataset
    const responses = paths[path]?.[method.toLowerCase()]?.responses ?? {}
    // The lowest status is that of success.
    const [status, response] = Object.entries(responses)[0] ?? []
    if (find(operation, '.outcome').textContent !== '') continue
    const example = response?.content?.['application/json']?.example
    showResponse(operation, `${status}, an example`, JSON.stringify(example, undefined, 2))
  }
}
