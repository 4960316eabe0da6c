import type { Cancellation, PetId } from '@pet-store/domain'
import type {
  NewKeyColumns,
  NewPetColumns,
  WaitingStatement,
} from '@pet-store/persistence-mikro-orm'
import { isLockTimeout, isRejected } from '../../database/failures.ts'

/** A pet that is to be added with an idempotency key. */
export interface KeyedPet {
  readonly key: NewKeyColumns
  readonly pet: NewPetColumns
}

/** The id of the pet that was added; `undefined` if the key is taken. */
export type ClaimedId = PetId | undefined

/**
 * Claims different keys, in the given order, and adds their pets, in one statement that waits only
 * a short time for a key that another transaction holds. Returns the id of each pet, or `undefined`
 * if its key is taken. If it rejects, nothing was changed.
 */
export type ClaimTogether = (claims: readonly KeyedPet[]) => Promise<readonly ClaimedId[]>

/** Claims one key on a connection of its own, and waits for the transaction that holds it. */
export type ClaimAlone = (claim: KeyedPet, cancellation?: Cancellation) => Promise<ClaimedId>

export type WaitingClaim = WaitingStatement<KeyedPet, ClaimedId>

/**
 * Claims the keys of a group, each once. If a group has several claims of one key, the first claim
 * gets it. All instances claim keys in the same order, so that two groups never deadlock.
 *
 * If the server rejects one of the pets, or another transaction holds a key for too long, nothing
 * is stored, and every claim runs alone, while the next group begins. After any other error it is
 * unknown what is stored, so nothing is repeated.
 */
export async function claimGroup(
  group: readonly WaitingClaim[],
  together: ClaimTogether,
  alone: ClaimAlone,
): Promise<void> {
  if (group.length === 0) return
  const [different, repeated] = splitRepeated(group)
  try {
    const ids = await together(different.map(({ work }) => work))
    for (const [index, { resolve }] of different.entries()) resolve(ids[index])
    for (const { resolve } of repeated) resolve(undefined)
  } catch (error) {
    if (!isRejected(error) && !isLockTimeout(error)) throw error
    for (const { work, cancellation, resolve, reject } of group)
      alone(work, cancellation).then(resolve, reject)
  }
}

/**
 * Returns the first claim of each key, ordered by owner and key, and the claims that repeat one.
 */
function splitRepeated(
  group: readonly WaitingClaim[],
): readonly [different: readonly WaitingClaim[], repeated: readonly WaitingClaim[]] {
  const sorted = group.toSorted((one, other) => compareKeys(one.work.key, other.work.key))
  const different: WaitingClaim[] = []
  const repeated: WaitingClaim[] = []
  for (const claim of sorted) {
    const last = different.at(-1)
    const isRepeated = last !== undefined && compareKeys(last.work.key, claim.work.key) === 0
    const list = isRepeated ? repeated : different
    list.push(claim)
  }
  return [different, repeated]
}

/** By owner, then by key. */
function compareKeys([owner, key]: NewKeyColumns, [otherOwner, otherKey]: NewKeyColumns): number {
  return compareTexts(owner, otherOwner) || compareTexts(key, otherKey)
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
