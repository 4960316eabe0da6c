import { PetStoreError } from '@pet-store/client'

/** The sentence that the page shows for an error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof RangeError) return error.message
  if (!(error instanceof PetStoreError)) return `The page failed: ${String(error)}`
  if (error.code === 'connection_failed') return 'The service cannot be reached.'
  return error.code === 'timeout' ? 'The service did not answer in time.' : error.message
}

/** The code of an error of the service or of the client. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof PetStoreError ? error.code : undefined
}
