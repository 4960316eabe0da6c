/** Statements that begin a transaction. */
export const BEGIN: RegExp = /^(?:begin|start transaction)\b/i
/** Statements that commit one. */
export const COMMIT: RegExp = /^(?:commit|end)\b/i
/** Statements that have no effect in a scripted session. */
export const SET: RegExp = /^(?:set|savepoint|release)\b/i
