// The whole program as a value, to start it inside another program
export { compose } from './compose.ts'
export type { Parts, Program } from './compose.ts'

// Its settings: with an empty environment, the defaults
export { readSettings } from './settings/read-settings.ts'
export type { Settings } from './settings/settings.ts'

// Its database, beside the program
export { persistenceAdapter } from './persistence/open-persistence.ts'
