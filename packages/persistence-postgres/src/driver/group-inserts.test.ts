import { PersistenceUnavailable } from '@pet-store/persistence'
import type { SqlValue } from '@pet-store/persistence-mikro-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { groupInserts } from './group-inserts.ts'

type Values = [name: string, categoryId: bigint]
type Column = readonly SqlValue[]

let ran: ({ alone: Values } | { many: readonly Column[] })[]
let refusal: Error | undefined
let hold: Promise<void> | undefined

beforeEach(() => {
  ran = []
  refusal = undefined
  hold = undefined
})

const grouped = () =>
  groupInserts<Values, string>(
    async (values) => {
      ran.push({ alone: values })
      if (values[0] === 'bad') throw new Error('bad is refused')
      return `row of ${values[0]}`
    },
    async (columns) => {
      ran.push({ many: columns })
      await hold
      if (refusal !== undefined) throw refusal
      return (columns[0] ?? []).map((name) => `row of ${name}`)
    },
  )

describe('Inserts of one turn', () => {
  it('are one statement with a list for each column, and each gets its own row', async () => {
    const { add } = grouped()
    const rows = await Promise.all([add(['a', 1n]), add(['b', 2n]), add(['c', 3n])])
    expect(rows).toEqual(['row of a', 'row of b', 'row of c'])
    expect(ran).toEqual([
      {
        many: [
          ['a', 'b', 'c'],
          [1n, 2n, 3n],
        ],
      },
    ])
  })

  it('run one by one where they are refused together, and a bad one fails alone', async () => {
    refusal = new Error('something is refused')
    const { add } = grouped()
    const rows = await Promise.allSettled([add(['a', 1n]), add(['bad', 2n]), add(['c', 3n])])
    expect(rows).toEqual([
      { status: 'fulfilled', value: 'row of a' },
      { status: 'rejected', reason: new Error('bad is refused') },
      { status: 'fulfilled', value: 'row of c' },
    ])
  })

  it('are all rejected, and not tried again, where nobody knows how far they came', async () => {
    refusal = new PersistenceUnavailable({ cause: new Error('Connection terminated') })
    const { add } = grouped()
    const rows = await Promise.allSettled([add(['a', 1n]), add(['b', 2n])])
    expect(rows.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(ran).toHaveLength(1)
  })

  it('are many statements where they are very many', async () => {
    const { add } = grouped()
    const rows = await Promise.all(Array.from({ length: 1_200 }, (_, index) => add([`${index}`, 1n])))
    expect(rows).toEqual(Array.from({ length: 1_200 }, (_, index) => `row of ${index}`))
    expect(ran.map((one) => ('many' in one ? one.many[0]?.length : 1))).toEqual([500, 500, 200])
  })
})

describe('An insert', () => {
  it('by itself runs alone', async () => {
    const { add } = grouped()
    expect(await add(['a', 1n])).toBe('row of a')
    expect(ran).toEqual([{ alone: ['a', 1n] }])
  })

  it('waits for others while two groups are under way', async () => {
    let goOn = () => {}
    hold = new Promise((resolve) => {
      goOn = resolve
    })
    const { add } = grouped()
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const rows: Promise<string>[] = []
    for (const names of ['ab', 'cd', 'ef', 'gh']) {
      rows.push(...Array.from(names, (name) => add([name, 1n])))
      await turn()
    }
    expect(ran).toHaveLength(2)
    goOn()
    expect(await Promise.all(rows)).toEqual(Array.from('abcdefgh', (name) => `row of ${name}`))
    expect(ran.map((one) => ('many' in one ? one.many[0] : one))).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f', 'g', 'h'],
    ])
  })
})

it('Finishing waits for every insert, those of this turn too', async () => {
  const { add, finish } = grouped()
  let answered = 0
  for (const name of 'abc') add([name, 1n]).then(() => (answered += 1), expect.unreachable)
  await finish()
  expect(answered).toBe(3)
})
