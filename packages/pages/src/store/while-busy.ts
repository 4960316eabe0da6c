const LONG_WAIT_MS = 20_000
/** The number of pieces of work that each section waits for. */
const waiting = new WeakMap<HTMLElement, number>()

/** Marks a section as busy until `work` ends. `status` says so if that takes long. */
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
  }, LONG_WAIT_MS)
  try {
    return await work
  } finally {
    clearTimeout(timer)
    if (count(-1) === 0) status.textContent = ''
  }
}
