import type { ApiKey, ApiKeyRepository, NewApiKey } from '@pet-store/access'
import type { Fault } from '../fault.test-support.ts'

/** A repository of API keys that breaks one promise on purpose. */
export type ApiKeyFault = Fault<ApiKeyRepository>

/** Changes each key on its way in. */
export function storing(keys: ApiKeyRepository, change: (key: NewApiKey) => object): ApiKeyRepository {
  return {
    ...keys,
    add: (key) => keys.add({ ...key, ...change(key) }),
    replace: (id, successor, until) => keys.replace(id, { ...successor, ...change(successor) }, until),
  }
}

/** Changes each key on its way out. */
export function answering(keys: ApiKeyRepository, change: (key: ApiKey) => object): ApiKeyRepository {
  const changed = (key: ApiKey): ApiKey => change(key) as ApiKey
  return {
    ...keys,
    async find(id) {
      const key = await keys.find(id)
      return key && changed(key)
    },
    async findByHash(sha256) {
      const key = await keys.findByHash(sha256)
      return key && changed(key)
    },
    list: async () => (await keys.list()).map(changed),
  }
}
