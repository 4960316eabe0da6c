/**
 * Where responses refer to: the list, relative to itself; a pet, relative to the list; the
 * reference page, relative to a pet.
 */
export type References = Readonly<Record<'list' | 'pet' | 'docs', string>>

/**
 * Without a public address they are relative, which works behind any host and path prefix; with
 * one, absolute.
 */
export function referencesFrom(publicUrl: string | undefined): References {
  if (publicUrl === undefined) return { list: '', pet: 'pets/', docs: '../../docs' }
  const list = `${publicUrl}/v1/pets`
  return { list, pet: `${list}/`, docs: `${publicUrl}/docs` }
}
