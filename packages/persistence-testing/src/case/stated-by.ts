const DOMAIN = '@pet-store/domain'
const ACCESS = '@pet-store/access'
const PERSISTENCE = '@pet-store/persistence'

/** What a comment of a port is about, and the package that has it. */
export interface StatedBy {
  readonly declaration: string
  readonly packageName: string
}

/** By the beginning of the ids of cases; the longest one that fits counts. */
const DECLARATIONS: Readonly<Record<string, readonly [declaration: string, packageName: string]>> =
  {
    'pet.add': ['PetRepository.add', DOMAIN],
    'pet.detached': ['PetRepository', DOMAIN],
    'pet.fields': ['PetRepository.add', DOMAIN],
    'pet.filter': ['PetQuery.status', DOMAIN],
    'pet.find': ['PetRepository.find', DOMAIN],
    'pet.idempotency': ['PetRepository.addWithKey', DOMAIN],
    'pet.list': ['PetRepository.list', DOMAIN],
    'pet.page': ['PetQuery.after', DOMAIN],
    'api-key': ['ApiKeyRepository', ACCESS],
    'api-key.mark-used': ['ApiKeyRepository.markUsed', ACCESS],
    'api-key.replace': ['ApiKeyRepository.replace', ACCESS],
    'api-key.replace.changed-since': ['ApiKeyRepository.listChangedSince', ACCESS],
    'api-key.revoke': ['ApiKeyRepository.revoke', ACCESS],
    'rate-limiter': ['RateLimiter.take', ACCESS],
    bulk: ['BulkAccess', PERSISTENCE],
    'persistence.bulk': ['BulkAccess', PERSISTENCE],
    'persistence.calls': ['PetRepository', DOMAIN],
    'persistence.clock.advances': ['Persistence.readClock', PERSISTENCE],
    'persistence.clock.calls': ['IdempotencyKey.at', DOMAIN],
    'persistence.clock.set': ['Persistence', PERSISTENCE],
    'persistence.clock.zones': ['IdempotencyKey.at', DOMAIN],
    'persistence.clock.jumps': ['RateLimiter.take', ACCESS],
    'persistence.declared': ['PersistenceCapabilities', PERSISTENCE],
    'persistence.declared.contexts': ['OnStatement', PERSISTENCE],
    'persistence.declared.failures': ['OnStatement', PERSISTENCE],
    'persistence.declared.other-replica': ['PersistenceOptions.replicaUrls', PERSISTENCE],
    'persistence.declared.pools': ['PoolUse', PERSISTENCE],
    'persistence.declared.promises': ['Persistence', PERSISTENCE],
    'persistence.declared.replica': ['PersistenceOptions.replicaUrls', PERSISTENCE],
    'persistence.declared.reports': ['OnStatement', PERSISTENCE],
    'persistence.interleaved.api-keys': ['ApiKeyRepository', ACCESS],
    'persistence.interleaved.expired-keys': ['PetRepository.addWithKey', DOMAIN],
    'persistence.interleaved.limits': ['RateLimiter.take', ACCESS],
    'persistence.interleaved.pets': ['PetRepository', DOMAIN],
    'persistence.killed': ['PetRepository.add', DOMAIN],
    'persistence.killed.api-keys': ['ApiKeyRepository', ACCESS],
    'persistence.killed.rotations': ['ApiKeyRepository.replace', ACCESS],
    'persistence.killed.uses': ['ApiKeyRepository.markUsed', ACCESS],
    'persistence.migrate': ['OpenMode', PERSISTENCE],
    'persistence.migrate.newer': ['Persistence.isMigrated', PERSISTENCE],
    'persistence.open': ['OpenPersistence', PERSISTENCE],
    'persistence.reopen': ['PetRepository.add', DOMAIN],
    'persistence.reopen.api-keys': ['ApiKeyRepository', ACCESS],
    'persistence.reopen.deleted-pet': ['PetRepository.addWithKey', DOMAIN],
    'persistence.reopen.idempotency': ['PetRepository.addWithKey', DOMAIN],
    'persistence.reopen.pending-writes': ['Persistence.close', PERSISTENCE],
    'persistence.reopen.process-ends': ['Persistence.close', PERSISTENCE],
    'persistence.reopen.time-zones': ['ApiKeyRepository', ACCESS],
    'persistence.sequence': ['PetRepository', DOMAIN],
    'persistence.sequence.api-keys': ['ApiKeyRepository', ACCESS],
    'persistence.sequence.at-once.api-keys': ['ApiKeyRepository', ACCESS],
    'persistence.sequence.bulk': ['BulkAccess', PERSISTENCE],
    'persistence.sequence.limits': ['RateLimiter.take', ACCESS],
    'persistence.shared': ['PersistenceCapabilities.severalProcesses', PERSISTENCE],
    'persistence.shared.clock': ['IdempotencyKey.at', DOMAIN],
    'persistence.shared.close': ['Persistence.close', PERSISTENCE],
    'persistence.shared.limits': ['PersistenceCapabilities.sharedLimits', PERSISTENCE],
    'persistence.unavailable': ['PetRepository', DOMAIN],
    'persistence.unavailable.background': ['PersistenceOptions.onBackgroundFailure', PERSISTENCE],
    'persistence.unavailable.bulk': ['BulkAccess', PERSISTENCE],
    'persistence.unavailable.closed': ['Persistence.close', PERSISTENCE],
    'persistence.unavailable.keys-once': ['ApiKeyRepository', ACCESS],
    'persistence.unavailable.limits-once': ['RateLimiter.take', ACCESS],
  }

/** The declaration whose comment states the guarantee of a case. */
export function statedBy(id: string): StatedBy {
  const [beginning] = Object.keys(DECLARATIONS)
    .filter((one) => id.startsWith(one))
    .toSorted((one, other) => other.length - one.length)
  const found = DECLARATIONS[beginning ?? '']
  if (found === undefined) throw new Error(`No declaration states the guarantee of ${id}.`)
  const [declaration, packageName] = found
  return { declaration, packageName }
}
