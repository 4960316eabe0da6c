import type { CheckOptions } from './check-harness.ts'

/** What a process that runs cases is given, as JSON in its last argument. */
export interface CasesToRun {
  readonly options: CheckOptions
  /** The ids of the cases, in their order. */
  readonly ids: readonly string[]
  /** Whether these are the first ones: then the database must be empty. */
  readonly isFirst: boolean
}

/** How that process begins to say what the adapter declares. */
export const CAPABILITIES = 'capabilities: '

/** What the message of a case says whose time was over. */
export const NEVER_ENDED = 'did not end within'

/** The name of a case as a test: its id comes last. */
export function testNameOf({ id, name }: { readonly id: string; readonly name: string }): string {
  return `${name} (${id})`
}

/** The id of a case from the name of its test; `undefined` for another text. */
export function idOf(testName: string): string | undefined {
  return /[(]([\w.-]+)[)]$/.exec(testName)?.[1]
}
