import type { ApiKey } from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'
import { type IssueApiKey, issueApiKeyIn } from './use-cases/issue-api-key.ts'
import { type RevokeApiKey, revokeApiKeyIn } from './use-cases/revoke-api-key.ts'
import { type RotateApiKey, rotateApiKeyIn } from './use-cases/rotate-api-key.ts'

/** Everything that can be done with API keys, besides checking them (`createKeyCheck`). */
export interface ApiKeyUseCases {
  readonly issueApiKey: IssueApiKey
  readonly listApiKeys: () => Promise<readonly ApiKey[]>
  readonly rotateApiKey: RotateApiKey
  readonly revokeApiKey: RevokeApiKey
}

/** What the operations need besides the repository. */
export interface ApiKeyUseCaseOptions {
  readonly now?: () => Date
  /** Told the id of each revoked key: the place for `forget` of a `KeyCheck` in the same process. */
  readonly onRevoke?: (id: string) => void
}

/** The operations over one repository. */
export function createApiKeyUseCases(
  keys: ApiKeyRepository,
  { now = () => new Date(), onRevoke = () => {} }: ApiKeyUseCaseOptions = {},
): ApiKeyUseCases {
  return {
    issueApiKey: issueApiKeyIn(keys, now),
    listApiKeys: () => keys.list(),
    rotateApiKey: rotateApiKeyIn(keys, now),
    revokeApiKey: revokeApiKeyIn(keys, now, onRevoke),
  }
}
