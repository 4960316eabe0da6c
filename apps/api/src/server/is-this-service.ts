const TIMEOUT_MS = 2_000

/** Paths that respond on the port of the service, or on that of its metrics. */
const PATHS = ['/livez', '/metrics']

/** By which the responses at these paths are recognised. */
const SIGNS = /^\{"status":"ok"\}$|^pet_store_build_info\{/m

/** Whether a pet store already listens on an address. */
export async function isThisService(host: string, port: number): Promise<boolean> {
  const texts = await Promise.all(
    PATHS.map((path) => textAt(`http://${addressOf(host)}:${port}${path}`)),
  )
  return texts.some((text) => SIGNS.test(text))
}

/** The text of a successful response; empty if there is none. */
async function textAt(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return response.ok ? await response.text() : ''
  } catch {
    return ''
  }
}

/** The address by which a program on this machine reaches a server that listens on `host`. */
function addressOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
