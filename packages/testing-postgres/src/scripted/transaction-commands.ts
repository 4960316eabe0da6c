/** What begins a transaction. */
export const BEGIN: RegExp = /^(?:begin|start transaction)\b/i
/** What commits one. */
export const COMMIT: RegExp = /^(?:commit|end)\b/i
/** What changes nothing that a script knows. */
export const SET: RegExp = /^(?:set|savepoint|release)\b/i
