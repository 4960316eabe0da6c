/** One promise of a port as something that runs. Independent of any test runner. */
export interface ContractCase<Port> {
  /** The promise, as a sentence without a subject: the subject is the adapter. */
  readonly name: string
  /** Runs on a fresh, empty storage. Rejects when the promise is broken. */
  run(port: Port): Promise<void>
}
