import fc from 'fast-check'
import { expect, it } from 'vitest'
import { GrowingBuffer } from './growing-buffer.ts'

it('a growing buffer has the bytes of all chunks, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 5_000 }), { maxLength: 20 }), (chunks) => {
      const body = new GrowingBuffer(100_000)
      for (const chunk of chunks) body.append(Buffer.from(chunk))
      expect(body.bytes()).toEqual(Buffer.concat(chunks))
    }),
  )
})

it('a growing buffer keeps none of many chunks alive, and no more than its maximum', () => {
  const read = Buffer.alloc(65_536)
  const body = new GrowingBuffer(102_400)
  for (let count = 0; count < 102_400; count += 1)
    body.append(read.subarray(count % 65_536, (count % 65_536) + 1))
  expect(body.bytes().buffer).not.toBe(read.buffer)
  expect(body.bytes().buffer.byteLength).toBe(102_400)
})
