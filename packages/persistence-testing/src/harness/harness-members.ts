import { assertTested } from '../case/not-tested.ts'
import type { PersistenceHarness } from './persistence-harness.ts'

/** What each member of a harness shows. The compiler asks for every one. */
const SHOWS: Readonly<Record<keyof PersistenceHarness, string>> = {
  open: 'every guarantee',
  emptyDatabase: 'every guarantee',
  openBulkAccess: 'the guarantees of import, export and copy',
  capabilities: 'that the adapter can do what it declares',
  databaseBeside: 'that two databases are kept apart',
  outdatedDatabase: 'that an older schema is migrated only when it may be, and loses nothing',
  newerDatabase: 'that two versions can use a database during a deployment',
  migrateToNewer: 'that an older version works on when a newer one migrates its database',
  concurrent: 'nothing; it makes a check faster',
  randomCalls: 'more of the same guarantees, which more random calls may violate',
  module: 'what several processes do, and what is left of one that is killed',
  exportName: 'the same, of a module whose default export is something else',
  bulkExportName: 'the same for bulk access',
  nodeOptions: 'the same, of a module that Node needs options for',
  interrupt: 'that calls are rejected during an outage, and that it loses and repeats nothing',
  freeze: 'that every call ends in time while the database does not respond',
  fill: 'that calls are rejected as unavailable while the database has no capacity left',
  loseConnections: 'that a connection that no longer responds is not used again',
  deletePet: 'that an idempotency key is new again once its pet was deleted',
  pausedReplica: 'that no replica that is behind, or ends, hides a pet or fails a read',
  close: 'nothing; it removes what the harness has made',
}

/**
 * The members of a harness that may be an instance of a class, as a plain object whose functions
 * are called on the harness.
 */
export function membersOf(harness: object): Partial<PersistenceHarness> {
  const names = new Set([...Object.keys(harness), ...Object.keys(SHOWS)])
  const members = [...names].map((name): [string, unknown] => [name, Reflect.get(harness, name)])
  return Object.fromEntries(
    members
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [
        name,
        typeof member === 'function' ? member.bind(harness) : member,
      ]),
  )
}

/** The members that are no functions. */
const VALUES: ReadonlySet<string> = new Set([
  'capabilities',
  'concurrent',
  'randomCalls',
  'module',
  'exportName',
  'bulkExportName',
  'nodeOptions',
] satisfies (keyof PersistenceHarness)[])

/**
 * Throws if a harness has a member that no case uses, because a misspelt one would show nothing, or
 * one that cannot be called.
 */
export function assertHarness(harness: PersistenceHarness): void {
  const unknown = Object.keys(harness).filter((name) => !Object.hasOwn(SHOWS, name))
  if (unknown.length > 0)
    throw new TypeError(
      `A harness has no member ${unknown.join(', ')}. ` +
        `Its members are ${Object.keys(SHOWS).join(', ')}.`,
    )
  const wrong = Object.entries(harness).filter(
    ([name, member]) => !VALUES.has(name) && member !== undefined && typeof member !== 'function',
  )
  if (wrong.length > 0)
    throw new TypeError(
      `These members of a harness must be functions: ${wrong.map(([name]) => name).join(', ')}.`,
    )
}

/** A member that a case needs; without it the case is not tested. */
export function memberOf<Name extends keyof PersistenceHarness>(
  harness: PersistenceHarness,
  name: Name,
): NonNullable<PersistenceHarness[Name]> {
  const member = harness[name]
  assertTested(member, `the harness has no ${name}, which shows ${SHOWS[name]}`)
  // A harness may be an instance of a class.
  return (typeof member === 'function' ? member.bind(harness) : member) as typeof member
}
