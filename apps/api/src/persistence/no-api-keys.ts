import type { ApiKeyRepository } from '@pet-store/access'

/** Stands in for a storage that keeps no API keys: none is known, and none can be made. */
export const noApiKeys: ApiKeyRepository = {
  add: refuse,
  replace: refuse,
  find: async () => undefined,
  findByHash: async () => undefined,
  list: async () => [],
  revoke: async () => false,
  markUsed: async () => {},
}

async function refuse(): Promise<never> {
  throw new Error('The storage of PERSISTENCE_MODULE keeps no API keys. Give their hashes in API_KEYS_SHA256 instead.')
}
