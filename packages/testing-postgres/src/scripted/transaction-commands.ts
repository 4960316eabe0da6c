/** Statements that begin a transaction. */
export const BEGIN: RegExp = /^(?:begin|start transaction)\b/i
/** Statements that commit one. */
export const COMMIT: RegExp = /^(?:commit|end)\b/i
const ROLLBACK = /^rollback\b/i
/** Statements that have no effect in a scripted session. */
export const SET: RegExp = /^(?:set|savepoint|release)\b/i

/** Whether a statement controls transactions, which the session does itself. */
export function controlsTransaction(sql: string): boolean {
  const text = sql.trim()
  return [BEGIN, COMMIT, ROLLBACK, SET].some((command) => command.test(text))
}
