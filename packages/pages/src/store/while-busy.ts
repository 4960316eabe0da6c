const SILENCE_MS = 20_000
let waitingFor = 0

/** Shows that something is waited for while it is, and says so when that takes long. */
export async function whileBusy<T>(
  work: Promise<T>,
  section: HTMLElement,
  status: HTMLElement,
): Promise<T> {
  waitingFor += 1
  section.ariaBusy = 'true'
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
      section.ariaBusy = 'false'
    }
  }
}
