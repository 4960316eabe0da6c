/** Returns the current time. An option, so that tests can run in 2030. */
export type Clock = () => Date
