const TIMEOUT_MS = 2_000

/** Paths that respond on the port of the service, or on that of its metrics. */
const PATHS = ['/livez', '/metrics']

/** What the response of each begins with, or contains. */
const SIGNS = /^\{"status":"ok"\}$|^pet_store_build_info\{/m

/** Whether a pet store listens on an address: this one, seen from another process. */
export async function isThisService(host: string, port: number): Promise<boolean> {
  const texts = await Promise.all(
    PATHS.map((path) => textAt(`http://${addressOf(host)}:${port}${path}`)),
  )
  return texts.some((text) => SIGNS.test(text))
}

/** The response to a request; empty where there is none. */
async function textAt(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return response.ok ? await response.text() : ''
  } catch {
    return ''
  }
}

/** Where a program on this machine reaches what listens on a host. */
function addressOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
