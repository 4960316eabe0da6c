/**
 * Returns a request target whose path Express can decode. A path with invalid percent-encoding
 * becomes one that has no route but the same prefix, so that the app that is mounted there responds
 * with its own 404.
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
