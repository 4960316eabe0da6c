import { developmentKey, publicBaseUrl } from './page-values.ts'

/**
 * A curl line that gets what is at this target, below the base address. Only the key of a
 * development machine stands in it; any other one stays in `$API_KEY`.
 */
export function curlLine(target: string): string {
  const key = developmentKey ?? '$API_KEY'
  return `curl -w '\\n' -H "Authorization: Bearer ${key}" '${publicBaseUrl}${target}'`
}
