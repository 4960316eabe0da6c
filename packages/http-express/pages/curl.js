// Requests as curl lines, and buttons that copy them, for both pages.
import { developmentKey, publicBaseUrl } from './key.js'

/**
 * A curl line for a request. Only the key of a development machine stands in it; any other one
 * stays in `$API_KEY`.
 */
export function curlLine(target, { method = 'GET', headers = {}, body } = {}) {
  const parts = ["curl -w '\\n'"]
  // What curl sends by itself.
  if (method !== (body === undefined ? 'GET' : 'POST')) parts.push(`-X ${method}`)
  parts.push(`-H "Authorization: Bearer ${developmentKey ?? '$API_KEY'}"`)
  for (const [name, value] of Object.entries(headers))
    parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (body !== undefined) parts.push(`-H 'Content-Type: application/json' -d ${quoted(body)}`)
  return [...parts, quoted(`${publicBaseUrl}${target}`)].join(' ')
}

/** As a shell takes it as it is. */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Copies a text when the button is pressed, and says so on it. */
export function copyOnPress(button, textOf) {
  const label = button.textContent
  button.addEventListener('click', () => {
    void copied(textOf()).then((isCopied) => {
      button.textContent = isCopied ? 'Copied' : 'Copy it by hand'
      setTimeout(() => {
        button.textContent = label
      }, 1_500)
    })
  })
}

/** `navigator.clipboard` is missing in pages that were not loaded over HTTPS. */
async function copied(text) {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text)
      return true
    } catch {
      // Not allowed; the older way may be.
    }
  }
  const area = document.createElement('textarea')
  area.value = text
  ;(document.querySelector('dialog[open]') ?? document.body).append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}
