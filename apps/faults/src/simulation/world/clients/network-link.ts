import { type Chunk, type NetworkLink, PERFECT_LINK, type Random } from '@pet-store/testing'

/**
 * Makes a network link of a world, which may split writes into chunks and delay them. While the
 * world is calm it delivers every write whole and at once.
 */
export function networkLinkOf(random: Random, isCalm: () => boolean): NetworkLink {
  const splits = random.pick([0, 0, 0.1, 0.5])
  const delays = random.pick([0, 0, 0.1, 0.5])
  if (splits === 0 && delays === 0) return PERFECT_LINK
  return (bytes) => {
    if (isCalm()) return PERFECT_LINK(bytes)
    const chunks: Chunk[] = []
    let start = 0
    while (start < bytes.length) {
      const isSplit = random.next() < splits && chunks.length < 20
      const length = isSplit ? random.integer(1, Math.min(40, bytes.length - start)) : bytes.length
      const delayMs = random.next() < delays ? random.pick([1, 2, 5, 30, 100]) : 0
      chunks.push({ bytes: bytes.subarray(start, start + length), delayMs })
      start += length
    }
    return chunks
  }
}
