import { expect, it } from 'vitest'
import { choose, HELP } from './command-line.ts'

function idsOf(items: readonly { readonly id: string }[] = []) {
  return items.map(({ id }) => id)
}

function comparison(args: readonly string[]) {
  const choice = choose(args)
  if (choice.run !== 'comparison') throw new Error(`${args.join(' ')} is no comparison.`)
  return choice
}

it('compares everybody at everything on both databases without arguments', () => {
  const { selections, isComplete, isQuick } = comparison([])
  expect({ isComplete, isQuick }).toEqual({ isComplete: true, isQuick: false })
  expect(selections.map(({ database }) => database)).toEqual(['sqlite', 'postgres'])
  for (const { operations, contestants } of selections) {
    expect(idsOf(operations)).toEqual(expect.arrayContaining(['list', 'list-100', 'page', 'get', 'create', 'mixed']))
    expect(idsOf(contestants).slice(0, 3)).toEqual(['bare', 'pet-store', 'pet-store-traced'])
  }
})

it('selects operations and contestants by the beginnings of their names, and always the baseline', () => {
  const { selections, isComplete } = comparison(['--only', 'sqlite-list,sqlite-get', '--contestants', 'fastify'])
  expect(isComplete).toBe(false)
  expect(selections).toHaveLength(1)
  expect(idsOf(selections[0]?.operations)).toEqual(['list', 'list-100', 'list-100-names', 'get'])
  expect(idsOf(selections[0]?.contestants)[0]).toBe('bare')
  expect(idsOf(selections[0]?.contestants)[1]).toMatch(/^fastify/)
})

it('compares the service with that of another checkout', () => {
  const { selections, isComplete } = comparison(['--against', '../other', '--only', 'postgres-get'])
  expect(isComplete).toBe(false)
  expect(selections.map(({ contestants }) => idsOf(contestants))).toEqual([['pet-store', 'other']])
  expect(selections[0]?.contestants[1]?.program[0]).toMatch(/\/other\/apps\/api\/bin\/pet-store\.js$/)
})

it('writes no document after a shortened run', () => {
  expect(choose(['--quick'])).toMatchObject({ isComplete: false })
  expect(choose(['--scale', '--only', 'bulk'])).toMatchObject({ sections: ['bulk'], isComplete: false })
})

it('measures growth, bulk work and processes with a number of pets', () => {
  const sections = ['growth', 'bulk', 'processes']
  expect(choose(['--scale'])).toEqual({ run: 'scale', pets: 1_000_000, sections, isComplete: true })
  expect(choose(['--scale', '--pets', '50000'])).toMatchObject({ pets: 50_000 })
})

it.each([
  [['--scale', '--pets', 'many'], '--pets must be a number of at least 1000, got "many".'],
  [['--scale', '--pets', '1'], '--pets must be'],
  [['--scale', '--only', 'list'], '--only must name some of growth, bulk, processes.'],
  [['--only', 'oracle-list'], 'No operation is called oracle-list'],
  [['--fast'], "Unknown option '--fast'"],
])('rejects %j', (args, message) => {
  expect(() => choose(args)).toThrow(message)
})

it('understands each command of its help', () => {
  const commands = HELP.split('\n').flatMap((line) => /^pnpm bench(.*?) {2}/.exec(line)?.[1] ?? [])
  expect(commands.length).toBeGreaterThan(5)
  for (const command of commands) {
    const args = command.split(' ').filter(Boolean)
    expect(() => choose(args)).not.toThrow()
  }
})
