/** How a function of a port is called by cases that are about every function. */
export interface FunctionCalls<Port> {
  readonly isRead: boolean
  /** For each way its name and the call; the label makes values unique. */
  readonly calls: Readonly<Record<string, (port: Port, label: string) => Promise<unknown>>>
}
