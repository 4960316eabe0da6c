import type { ApiKeyRepository } from '@pet-store/access'

/** Stands in for an adapter that stores no API keys: none is valid, and none can be created. */
export const noApiKeys: ApiKeyRepository = {
  add: rejectKey,
  replace: rejectKey,
  find: async () => undefined,
  findByHash: async () => undefined,
  list: async () => [],
  revoke: async () => false,
  markUsed: async () => {},
}

async function rejectKey(): Promise<never> {
  throw new Error(
    'The adapter of PERSISTENCE_MODULE stores no API keys. Put their hashes into API_KEYS_SHA256 instead.',
  )
}
