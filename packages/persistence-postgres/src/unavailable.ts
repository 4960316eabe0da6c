import { PersistenceUnavailable } from '@pet-store/persistence'

/**
 * SQLSTATE of a server that is not to be reached, full, going down or coming up (08, 53, 57), of a statement that took
 * too long (57014), and of one that became a replica (25006).
 */
const SQL_STATES = /^(?:08|53|57)[0-9A-Z]{3}$|^25006$/
const NETWORK = /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENET)/
/** The driver's own words, for which it has no code. */
const DRIVER =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered|Query read timeout)/

/** What the driver rejected with, told apart: a database that is away at present, or anything else as it is. */
export function unavailableOr(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  const isAway = SQL_STATES.test(code) || NETWORK.test(code) || DRIVER.test(error.message)
  return isAway ? new PersistenceUnavailable({ cause: error }) : error
}
