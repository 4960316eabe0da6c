import { expect, it } from 'vitest'
import { machinesWith, rangeOf, readMachines, withThisMachine } from './machines.ts'
import { rangeSvg } from './range-svg.ts'

const facts = {
  command: 'pnpm bench',
  date: '2026-11-22',
  commit: 'abc',
  machine: '',
  system: '',
  cores: '',
}
const [first, ...others] = readMachines()
if (first === undefined) throw new Error('No machine was measured.')

it('a run replaces an earlier one of the same machine, and no other', () => {
  const again = withThisMachine([first, ...others], [], { ...facts, machine: first.machine })
  expect(again.map(({ machine }) => machine)).toEqual([
    ...others.map(({ machine }) => machine),
    first.machine,
  ])
  expect(again.at(-1)).toMatchObject({ commit: 'abc', figures: {} })
  expect(withThisMachine([first], [], { ...facts, machine: 'another' })).toHaveLength(2)
})

it('the report has the range over the machines that have a figure', () => {
  const machines = [{ throughput: 0.9 }, {}, { throughput: 0.7 }].map((figures) => {
    return { ...first, figures: { 'sqlite/pet-store/get': { cpu: 1, ...figures } } }
  })
  expect(rangeOf(machines, 'sqlite/pet-store/get', 'throughput')).toEqual({ low: 0.7, high: 0.9 })
  expect(rangeOf(machines, 'sqlite/pet-store/list', 'cpu')).toBeUndefined()
})

it('the pictures are of the machines that have measured all of some figures', () => {
  const [one, both] = [['get'], ['get', 'list']].map((names) => {
    return { ...first, figures: Object.fromEntries(names.map((name) => [name, { cpu: 1 }])) }
  })
  if (one === undefined || both === undefined) throw new Error('There must be two machines.')
  expect(machinesWith([one, both], ['get'])).toEqual([one, both])
  expect(machinesWith([one, both], ['list', 'get'])).toEqual([both])
})

it('the report draws a bar to the lowest figure, a line to the highest, escaping markup', () => {
  const bars = [{ name: 'A & <B>', isOurs: true, low: 1, high: 2 }]
  const svg = rangeSvg('Ratios', [{ title: 'List', bars }])
  const [, start = 0, width = 0] = (/<rect x="(\d+)" y="38" width="(\d+)"/.exec(svg) ?? []).map(
    Number,
  )
  expect(svg).toContain(`x2="${start + width * 2}"`)
  expect(svg).toContain('>A &amp; &lt;B&gt;</text>')
  expect(svg).toContain('>1.00–2.00</text>')
})
