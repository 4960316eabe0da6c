/** The name of a case as a test: its id comes last. */
export function testNameOf({ id, name }: { readonly id: string; readonly name: string }): string {
  return `${name} (${id})`
}

/** The id of a case from the name of its test; `undefined` for another text. */
export function idOf(testName: string): string | undefined {
  return /[(]([\w.-]+)[)]$/.exec(testName)?.[1]
}
