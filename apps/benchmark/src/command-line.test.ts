import { expect, it } from 'vitest'
import { choose, HELP } from './command-line.ts'

function selections(...args: string[]) {
  return choose(args).selections.map(({ database, operations, contestants }) => ({
    database,
    operations: operations.map(({ id }) => id),
    contestants: contestants.map(({ id }) => id),
  }))
}

it('the benchmark without arguments compares all at everything on both databases', () => {
  expect(choose([])).toMatchObject({ isComplete: true })
  const operations = [
    ...['list', 'page', 'list-100', 'get'],
    ...['create', 'create-with-key', 'repeat', 'mixed'],
  ]
  expect(selections()).toMatchObject([
    { database: 'sqlite', operations },
    { database: 'postgres', operations },
  ])
  for (const { contestants } of selections())
    expect(contestants.slice(0, 2)).toEqual(['bare', 'pet-store'])
})

it('the benchmark selects operations by the beginnings of their names', () => {
  expect(selections('--only', 'sqlite-list,sqlite-get')).toMatchObject([
    { database: 'sqlite', operations: ['list', 'list-100', 'get'] },
  ])
  expect(selections('--against', '../other', '--only', 'postgres-get')).toMatchObject([
    { contestants: ['pet-store', 'other'] },
  ])
  expect(
    selections('--beside', 'postgres://localhost:5433/pets', '--only', 'postgres-list,sqlite'),
  ).toMatchObject([{ database: 'postgres', contestants: ['pet-store', 'beside'] }])
})

it.each([
  [['--scale', '--pets', 'many'], '--pets must be thousands, got "many".'],
  [['--scale', '--only', 'list'], '--only must name some of growth, bulk, processes.'],
  [['--only', 'oracle-list'], '--only must name some of sqlite-list, postgres-list, '],
  [['--fast'], "Unknown option '--fast'"],
])('the benchmark rejects the arguments %j', (args, message) => {
  expect(() => choose(args)).toThrow(message)
})

it('the benchmark understands its help, and a shortened run writes no document', () => {
  const commands = HELP.split('\n').flatMap(
    (line) => /^pnpm bench(.*?) {2}/.exec(line)?.[1]?.trim() ?? [],
  )
  const choices = commands.map((command) => choose(command.split(' ').filter(Boolean)))
  const complete = commands.filter((_, index) => choices[index]?.isComplete)
  expect(complete).toEqual(['', '--profile', '--scale', '--scale --pets 50000'])
})
