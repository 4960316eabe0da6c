import { expect, it } from 'vitest'
import { OpenedParts } from './opened-parts.ts'

it('opened parts are closed in reverse, once, and all of them even if one cannot be', async () => {
  const closed: string[] = []
  const opened = new OpenedParts()
  for (const name of ['first', 'broken', 'last']) {
    opened.add({
      async close() {
        closed.push(name)
        if (name === 'broken') throw new Error('cannot be closed')
      },
    })
  }
  await expect(opened.close()).rejects.toThrow('cannot be closed')
  await opened.close()
  expect(closed).toEqual(['last', 'broken', 'first'])
})
