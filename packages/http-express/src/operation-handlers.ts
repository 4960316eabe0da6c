import type { Handler } from './handler.ts'
import type { PathParameters } from './operation.ts'
import type { Operations } from './operations.ts'

/** What each declared operation does; one that is missing, or not declared, does not compile. */
export type OperationHandlers = {
  readonly [Name in keyof Operations]: Handler<PathParameters<Operations[Name]['path']>>
}
