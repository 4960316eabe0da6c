// The whole program as a value, for whoever starts it inside another one
export { compose } from './compose.ts'
export type { Parts, Program } from './compose.ts'

// Its settings: with an empty environment, the defaults
export { readConfig } from './settings/read-settings.ts'
export type { Settings } from './settings/settings.ts'

// The rows of its database, beside the program
export { openBulk } from './persistence/open-persistence.ts'
