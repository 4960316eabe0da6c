// What a contract refers to: the provider, its states, and the API keys
export { CONTRACT_API_KEY, PROVIDER, PROVIDER_STATES, UNKNOWN_API_KEY } from './states/provider-states.ts'
export type { ProviderState } from './states/provider-states.ts'
