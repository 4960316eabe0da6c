/**
 * A request target whose path Express can decode: after invalid percent-encoding it becomes a path
 * without a route, below the same prefix, so that the app that is mounted there responds.
 */
export function decodableTarget(target: string): string {
  const path = target.replace(/\?.*/s, '')
  return isDecodable(path) ? target : `${path.replaceAll('%', '%25')}//`
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
