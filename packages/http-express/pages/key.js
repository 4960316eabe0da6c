// API keys as people paste them, for both pages.

/**
 * Returns the key in a pasted text, without what is often copied with it. Throws a sentence where
 * that is no key.
 */
export function keyFrom(pasted) {
  const key = pasted
    .replace(/^.*\bBearer\s|^\s*Authorization\s*:/is, '')
    .replaceAll(/[\s"'`“”„‘’«»\u200b-\u200d\ufeff]/g, '')
  if (key === '') throw new RangeError('Paste your API key.')
  const [other] = /[^!-~]/.exec(key) ?? []
  if (other !== undefined)
    throw new RangeError(`An API key has no “${other}”: copy it again, and nothing beside it.`)
  return key
}

/**
 * The key of a development machine, which the service has written into the page; `undefined`
 * elsewhere.
 */
export const developmentKey = document.body.dataset.developmentKey || undefined

/** Where this page sends requests: behind a path prefix only the browser knows. */
export const baseUrl = new URL('v1', location.href).href

/** Where others send them: the public address where one is configured. */
export const publicBaseUrl = new URL('v1', document.body.dataset.publicUrl || location.href).href
