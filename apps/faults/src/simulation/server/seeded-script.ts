import type { Random } from '@pet-store/testing'
import type { Boundary, Disruption, Script, ScriptedTransaction } from '@pet-store/testing-postgres'
import { type Severities, sessionError, statementError } from './errors.ts'

const KINDS = ['error', 'fatal', 'close', 'reset', 'silence', 'delay', 'notice'] as const
type DisruptionKind = (typeof KINDS)[number]

/** Which disruptions happen in a world, and how often. Each world has only some kinds. */
export interface Disruptions {
  readonly kinds: readonly DisruptionKind[]
  /** At each boundary. */
  readonly probability: number
  readonly severities: Severities
  /** The only boundary at which they happen; `undefined`: every boundary. */
  readonly boundary: Boundary | undefined
  readonly delaysMs: readonly number[]
  /** Whether they also happen in transactions that have changed nothing. */
  readonly hitsReads: boolean
}

const DELAYS_MS = [1, 5, 20, 100, 250, 400, 2_000, 8_000]

const BOUNDARIES: readonly Boundary[] = ['parse', 'bind', 'execute', 'complete', 'commit', 'ready']

/** Delays some commits, so that pets are not committed in the order of their ids. */
export function slowCommits(severities: Severities): Disruptions {
  const delaysMs = [500, 1_500, 2_500]
  return {
    kinds: ['delay'],
    probability: 0.5,
    severities,
    boundary: 'commit',
    delaysMs,
    hitsReads: false,
  }
}

/** Chooses few kinds, so that the effects of one are noticed before another one happens. */
export function chooseDisruptions(random: Random, severities: Severities): Disruptions {
  const probability = random.pick([0, 0.003, 0.01, 0.03, 0.08, 0.2])
  const count = random.integer(1, 4)
  const kinds = Array.from({ length: count }, () => random.pick(KINDS))
  const boundary = random.next() < 0.4 ? random.pick(BOUNDARIES) : undefined
  return {
    kinds,
    probability: boundary === undefined ? probability : Math.min(0.7, probability * 5),
    severities,
    boundary,
    delaysMs: DELAYS_MS,
    hitsReads: true,
  }
}

/** A script whose random numbers say what happens. It does nothing while the world is calm. */
export class SeededScript implements Script {
  readonly #random: Random
  readonly #disruptions: Disruptions
  isCalm = true
  /** How often each kind has happened. */
  readonly counts: Record<string, number> = {}

  constructor(random: Random, disruptions: Disruptions) {
    this.#random = random
    this.#disruptions = disruptions
  }

  at(boundary: Boundary, transaction?: ScriptedTransaction): Disruption | undefined {
    const { probability, boundary: only, hitsReads } = this.#disruptions
    if (this.isCalm || (only !== undefined && only !== boundary)) return undefined
    if (!hitsReads && transaction?.hasChanges !== true) return undefined
    if (this.#random.next() >= probability) return undefined
    const disruption = this.#disruptionAt(boundary)
    const name = `${disruption.kind} at ${boundary}`
    this.counts[name] = (this.counts[name] ?? 0) + 1
    return disruption
  }

  #disruptionAt(boundary: Boundary): Disruption {
    const { kinds, severities, delaysMs } = this.#disruptions
    const kind = this.#random.pick(kinds)
    const commits = this.#random.next() < 0.5
    switch (kind) {
      case 'error':
        // What is committed cannot fail, and a session that has not started ends.
        if (boundary !== 'ready' && boundary !== 'startup')
          return { kind, error: statementError(this.#random, severities) }
        return { kind: 'fatal', error: sessionError(this.#random, severities), commits }
      case 'fatal':
        return { kind, error: sessionError(this.#random, severities), commits }
      case 'notice':
        return { kind, error: { ...statementError(this.#random, severities), severity: 'NOTICE' } }
      case 'delay':
        return { kind, delayMs: this.#random.pick(delaysMs) }
      case 'silence':
        return { kind }
      default:
        return { kind, commits }
    }
  }
}
