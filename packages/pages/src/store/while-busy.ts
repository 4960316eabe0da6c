const SILENCE_MS = 20_000
/** How much each section waits for. */
const waiting = new WeakMap<HTMLElement, number>()

/** Shows that a section waits for something while it does, and says so when that takes long. */
export async function whileBusy<T>(
  work: Promise<T>,
  section: HTMLElement,
  status: HTMLElement,
): Promise<T> {
  const count = (by: number) => {
    const waitsFor = (waiting.get(section) ?? 0) + by
    waiting.set(section, waitsFor)
    section.ariaBusy = `${waitsFor > 0}`
    return waitsFor
  }
  count(1)
  status.textContent = ''
  const timer = setTimeout(() => {
    status.textContent = 'The service has not answered for 20 seconds. Still waiting…'
  }, SILENCE_MS)
  try {
    return await work
  } finally {
    clearTimeout(timer)
    if (count(-1) === 0) status.textContent = ''
  }
}
