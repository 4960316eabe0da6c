import { expect, it } from 'vitest'
import { yieldToEventLoop } from './long-input.ts'

it('yieldToEventLoop gives each caller a turn of the event loop, in order', async () => {
  const order: string[] = []
  const long = ['first', 'second', 'third'].map((name) =>
    yieldToEventLoop().then(() => order.push(name)),
  )
  const turns = async () => {
    for (let turn = 1; order.length < 5; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      order.push(`turn ${turn}`)
    }
  }
  await Promise.all([...long, turns()])
  expect(order.filter((name) => !name.startsWith('turn'))).toEqual(['first', 'second', 'third'])
  expect(order.indexOf('second') - order.indexOf('first')).toBeGreaterThan(1)
  expect(order.indexOf('third') - order.indexOf('second')).toBeGreaterThan(1)
})
