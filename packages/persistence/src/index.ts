// What an adapter is
export type { OpenPersistence, Persistence, PersistenceOptions, PoolUse } from './persistence.ts'

// What can go wrong
export { PersistenceUnavailable } from './persistence-unavailable.ts'
