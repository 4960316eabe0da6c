/** Storage cannot be reached at present; the driver's error is its cause. The ports promise its code. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable'
  readonly code = 'storage_unavailable'

  constructor(cause: unknown) {
    super('The database cannot be reached at present.', { cause })
  }
}
