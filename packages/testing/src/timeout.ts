/** Longer than anything takes for which tests wait, even on a machine with a load of sixty. */
export const TIMEOUT_MS = 600_000
