import { developmentKey, publicBaseUrl } from './page-values.ts'

/**
 * A curl command that gets `target`, below the base address. It contains the key only if that is
 * the development key; any other key is read from `$API_KEY`.
 */
export function curlLine(target: string): string {
  const key = developmentKey ?? '$API_KEY'
  return `curl -w '\\n' -H "Authorization: Bearer ${key}" '${publicBaseUrl}${target}'`
}
