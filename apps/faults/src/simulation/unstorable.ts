/** A character that the simulated databases do not store, as some encodings cannot. */
export const UNSTORABLE = '\u2612'
