import type { Choice } from '../model/model-call.ts'

/** A call through an opening, on things of this name. */
export type CallOf = (opening: number, name: string) => Choice
