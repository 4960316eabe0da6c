/** How answers refer to other resources of the service. */
export interface References {
  /** What the query of a further page follows; from a list itself. */
  readonly list: string
  /** What the id of a pet follows; from the list. */
  readonly pet: string
  /** The reference page; from one pet. */
  readonly docs: string
}

/** Relative ones work behind any prefix and name; absolute ones are for clients that cannot resolve them. */
export function referencesFrom(publicUrl: string | undefined): References {
  if (publicUrl === undefined) return { list: '', pet: 'pets/', docs: '../../docs' }
  const list = `${publicUrl}/v1/pets`
  return { list, pet: `${list}/`, docs: `${publicUrl}/docs` }
}
