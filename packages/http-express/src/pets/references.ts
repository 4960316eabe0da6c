/** How responses refer to other resources of the service. */
export interface References {
  /** The list, relative to itself; a query follows. */
  readonly list: string
  /** A pet, relative to the list; its id follows. */
  readonly pet: string
  /** The reference page, relative to a pet. */
  readonly docs: string
}

/** Without a public address they are relative, which works behind any host and path prefix; with one, absolute. */
export function referencesFrom(publicUrl: string | undefined): References {
  if (publicUrl === undefined) return { list: '', pet: 'pets/', docs: '../../docs' }
  const list = `${publicUrl}/v1/pets`
  return { list, pet: `${list}/`, docs: `${publicUrl}/docs` }
}
