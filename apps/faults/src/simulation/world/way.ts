import { PERFECT_WAY, type Piece, type Random, type Way } from '@pet-store/testing'

/** How bytes travel in a world: whole, in pieces, slowly. Whole as long as it is calm. */
export function wayOf(random: Random, isCalm: () => boolean): Way {
  const splits = random.pick([0, 0, 0.1, 0.5])
  const delays = random.pick([0, 0, 0.1, 0.5])
  if (splits === 0 && delays === 0) return PERFECT_WAY
  return (bytes) => {
    if (isCalm()) return PERFECT_WAY(bytes)
    const pieces: Piece[] = []
    let start = 0
    while (start < bytes.length) {
      const isSplit = random.next() < splits && pieces.length < 20
      const length = isSplit ? random.integer(1, Math.min(40, bytes.length - start)) : bytes.length
      const delayMs = random.next() < delays ? random.pick([1, 2, 5, 30, 100]) : 0
      pieces.push({ bytes: bytes.subarray(start, start + length), delayMs })
      start += length
    }
    return pieces
  }
}
