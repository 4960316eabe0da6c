/** Why a guarantee could not be shown: the adapter or its harness lacks what the case needs. */
export class NotTested extends Error {}

export function assertTested(condition: unknown, reasonNotTested: string): asserts condition {
  if (!condition) throw new NotTested(reasonNotTested)
}
