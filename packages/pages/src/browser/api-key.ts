/**
 * Returns the key in a pasted text, without what is often copied with it, such as spaces, quotes or
 * `Bearer`. Throws a `RangeError`, whose message is for people, if the text has no key.
 */
export function keyFrom(pasted: string): string {
  const key = pasted
    .replace(/^.*\bBearer\s|^\s*Authorization\s*:/is, '')
    .replaceAll(/[\s"'`“”„‘’«»\u200b-\u200d\ufeff]/g, '')
  if (key === '') throw new RangeError('Paste your API key.')
  const [other] = /[^!-~]/.exec(key) ?? []
  if (other !== undefined)
    throw new RangeError(`An API key has no “${other}”: copy it again, and nothing beside it.`)
  return key
}
