// The reference page: samples with the page's own address and key, and forms that send requests.
// The service has written the text of the page itself.
import { byId, find } from '../browser/elements.ts'
import { showCode } from '../browser/highlight.ts'
import { keptKey } from '../browser/kept-key.ts'
import { setUpKeyDialog } from '../browser/key-dialog.ts'
import { developmentKey, publicBaseUrl } from '../browser/page-values.ts'
import { setUpThemeSwitch } from '../browser/theme-switch.ts'
import { markActiveLink } from './active-link.ts'
import { keepLanguage, keptLanguage } from './language.ts'
import { formOf, readForm } from './request-form.ts'
import { sampleOf } from './samples.ts'
import { setUpSearch } from './search.ts'
import { setUpForm } from './send-request.ts'
import { setUpTabs } from './tabs.ts'

let apiKey = developmentKey ?? keptKey()
let isPrinting = false
const operations = [...document.querySelectorAll<HTMLElement>('.operation')]
const samples = operations.map((operation) =>
  setUpTabs(find(operation, `#${operation.id}-sample`), selectLanguage),
)

byId('base').textContent = publicBaseUrl
for (const operation of operations) {
  const responses = setUpTabs(find(operation, `#${operation.id}-response`), () => {})
  setUpForm(operation, responses, () => apiKey)
  formOf(operation).addEventListener('input', () => showSamples(operation))
}
for (const example of document.querySelectorAll<HTMLElement>('[data-lang="json"]'))
  showCode(example, example.textContent ?? '')
selectLanguage(keptLanguage())
showKey()
setUpKeyDialog(async (key) => {
  apiKey = key
  showKey()
  return undefined
})
addEventListener('beforeprint', () => setPrinting(true))
addEventListener('afterprint', () => setPrinting(false))
setUpSearch()
setUpThemeSwitch()
markActiveLink()

/** One language for all operations. */
function selectLanguage(language: string): void {
  for (const tabs of samples) tabs.select(language)
  if (language !== '') keepLanguage(language)
}

/** Fills the samples of an operation with the values of its form. */
function showSamples(operation: HTMLElement): void {
  const request = readForm(operation)
  for (const panel of operation.querySelectorAll<HTMLElement>('[data-template]')) {
    const { template = '', lang = '' } = panel.dataset
    showCode(panel, sampleOf(template, lang, request, isPrinting ? undefined : apiKey))
  }
}

/** Leaves the key out of what is printed: paper and files are passed on to others. */
function setPrinting(isNow: boolean): void {
  isPrinting = isNow
  for (const operation of operations) showSamples(operation)
}

/** Fills in the key, and says which one is used. */
function showKey(): void {
  for (const operation of operations) showSamples(operation)
  const note = byId('key-note')
  if (apiKey === undefined) {
    note.textContent = 'To send requests from this page, press “API key” and paste yours.'
  } else if (apiKey === developmentKey) {
    note.textContent =
      'The development key of this machine is filled in: press Send at any operation.'
  } else note.textContent = 'Your API key is filled in, and stays in this tab.'
}
