// What the page says about an error, and about waiting.
import { PetStoreError } from './client.js'

const SILENCE_MS = 20_000
let waitingFor = 0

export function sentenceOf(error) {
  if (error instanceof RangeError) return error.message
  if (!(error instanceof PetStoreError)) return `The page failed: ${error.message}`
  if (error.code === 'connection_failed') return 'The service cannot be reached.'
  return error.code === 'timeout' ? 'The service did not answer in time.' : error.message
}

/** Shows that something is waited for while it is, and says so when that takes long. */
export async function whileBusy(work, section, status) {
  waitingFor += 1
  section.setAttribute('aria-busy', 'true')
  status.textContent = section.checkVisibility() ? '' : 'Loading…'
  const timer = setTimeout(() => {
    status.textContent = 'The service has not answered for 20 seconds. Still waiting…'
  }, SILENCE_MS)
  try {
    return await work
  } finally {
    clearTimeout(timer)
    waitingFor -= 1
    if (waitingFor === 0) {
      status.textContent = ''
      section.setAttribute('aria-busy', 'false')
    }
  }
}
