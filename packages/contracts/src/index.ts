// What a contract says: who we are, and what can be asked to be so before a request
export { PROVIDER, PROVIDER_STATES } from './provider-states.ts'
export type { ProviderState } from './provider-states.ts'

// The API keys that contracts use
export { CONTRACT_API_KEY, UNKNOWN_API_KEY } from './contract-api-keys.ts'
