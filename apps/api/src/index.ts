// The whole program as a value, to start it inside another program
export { compose } from './compose.ts'
export type { ComposeOptions, Program } from './compose.ts'
export { NO_REPORTS } from './observability/reports.ts'
export type { Reports } from './observability/reports.ts'

// Its settings: with an empty environment, the defaults
export { readSettings } from './settings/read-settings.ts'
export type { Settings } from './settings/settings.ts'

// Its database, beside the program
export { persistenceAdapter } from './persistence/persistence-adapter.ts'
