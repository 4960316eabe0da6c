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
export const contractVersion: string = '6.4.0'
