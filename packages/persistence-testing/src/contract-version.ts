/**
 * The version of all contracts in this package together.
 *
 * - Major: a guarantee was added, changed or removed, so that an adapter that was correct may have
 *   to change.
 * - Minor: a case was added or became stricter, for a guarantee that a port already stated.
 * - Patch: wording, time limits, speed.
 *
 * What each version asks that the one before did not, and which member or case shows it, is in
 * UPGRADING.md of this package.
 */
export const contractVersion: string = '5.0.0'

/**
 * The ids of all cases, by the group that they begin with. An id never changes, and is never used
 * for another guarantee, so a test compares this list with the cases.
 */
export const CASE_IDS: Readonly<Record<string, string>> = {
  'pet.fields': 'all status name every-character category',
  'pet.add':
    'ids concurrent visible-at-once rejected cancelled cancelled-meanwhile rejected-beside-others',
  'pet.idempotency':
    'repeat concurrent other-content other-content-concurrent earlier rejected-repeat lifetime ' +
    'expired-concurrent any-time own-time rejected exact-key exact-owner owner-and-key many ' +
    'exact-content',
  'pet.find': 'each empty unknown similar',
  'pet.list': 'empty ascending limit undefined read-again more-than-1000 long-names',
  'pet.page': 'empty known unknown int64 walk walk-while-adding',
  'pet.filter': 'none status no-match limit after more-than-1000',
  'pet.detached': 'given returned repeated',
  'api-key.add': 'fields unknown taken concurrent names same-name list detached',
  'api-key':
    'revoke revoke-unknown revoke-concurrent mark-used mark-used-many mark-used-unknown own-fields',
  'api-key.replace': 'successor earlier-end any-state concurrent again unknown taken changed-since',
  'rate-limiter': 'exact reset per-key per-limit per-window concurrent next-window window-ends',
  bulk:
    'add add.progress add.other-import add.all-or-nothing read write write.taken write.many ' +
    'write.int64 ids imports idempotency-keys idempotency-keys.many idempotency-keys.odd ' +
    'api-keys api-keys.taken-hash',
  'persistence.bulk': 'pets idempotency-keys api-keys replaced-keys int64 beside killed',
  'persistence.reopen': 'pets idempotency-keys deleted-pet api-keys pending-writes process-ends',
  'persistence.killed': 'acknowledged at-once api-keys',
  'persistence.open': 'at-once two-databases rejected many',
  'persistence.shared':
    'pets fresh-reads close idempotency-keys limits api-keys revocations processes ' +
    'limits-processes single',
  'persistence.migrate': 'empty read-only outdated',
  'persistence.unavailable': 'reads writes acknowledged closed frozen bulk',
  'persistence.declared': 'capabilities reports replicas',
}
