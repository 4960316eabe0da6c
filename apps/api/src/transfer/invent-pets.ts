import { type NewPet, type PetStatus, validateNewPet } from '@pet-store/domain'

const NAMES =
  'Bella Luna Max Charlie Milo Rex Daisy Rocky Coco Lola Oscar Ruby Leo Nala Simba Willow Bruno Poppy Toby Molly Felix Hazel Otis Pepper Biscuit Maple Archie Juno Gizmo Olive'.split(
    ' ',
  )
const TRAITS =
  'Brave Fluffy Sleepy Curious Gentle Quick Hungry Loud Clever Little Old Spotted Striped Golden Grey Shy'.split(' ')
const CATEGORIES = 12

/** Invents one pet after another. The same seed gives the same pets in the same order. */
export function createPetInventor(seed: number): () => NewPet {
  const random = createRandom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const oneOf = (words: readonly string[]) => words[below(words.length)] ?? ''
  return () => {
    const name = below(2) === 0 ? oneOf(NAMES) : `${oneOf(NAMES)} the ${oneOf(TRAITS)}`
    const status = statusAt(below(100))
    return validateNewPet({ name, categoryId: BigInt(1 + below(CATEGORIES)), ...(status !== undefined && { status }) })
  }
}

/** A few pets have no status. */
function statusAt(percent: number): PetStatus | undefined {
  if (percent < 60) return 'available'
  if (percent < 75) return 'pending'
  return percent < 95 ? 'sold' : undefined
}

/** Random numbers from 0 to 1 by mulberry32: 32 bits of state are enough for inventing names. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
