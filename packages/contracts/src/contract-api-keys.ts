/** Good in every contract, without a state, for every operation. No installation knows it. */
export const CONTRACT_API_KEY = 'pets_ContractTestsOnlyMayDoEverything0000000000005pLw4'

/** Has the form of a key, and is never a good one. */
export const UNKNOWN_API_KEY = 'pets_ContractTestsOnlyIsKnownNowhere0000000000004FPeV1'
