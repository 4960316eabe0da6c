// The whole program as a value, for whoever starts it inside another one
export { compose } from './compose.ts'
export type { Parts, Program } from './compose.ts'

// Its settings: with an empty environment, the defaults
export { readConfig } from './config.ts'
export type { Settings } from './settings.ts'

// The rows of its database, beside the program
export { openBulk } from './storage.ts'
