import { describe, expect, it } from 'vitest'
import { choose, HELP } from './command-line.ts'

const comparison = { run: 'comparison', isQuick: false, only: [], contestants: [], isWhole: true }

describe('what is run', () => {
  it('is the whole comparison without a word', () => {
    expect(choose([])).toEqual(comparison)
  })

  it('is a part of the comparison, which is no document', () => {
    expect(choose(['--quick'])).toEqual({ ...comparison, isQuick: true, isWhole: false })
    expect(choose(['--only', 'sqlite-get,postgres', '--contestants', 'pet'])).toEqual({
      ...comparison,
      only: ['sqlite-get', 'postgres'],
      contestants: ['pet'],
      isWhole: false,
    })
  })

  it('is bulk work with a million pets, or with fewer, which is no document', () => {
    expect(choose(['--bulk'])).toEqual({ run: 'bulk', pets: 1_000_000, isWhole: true })
    expect(choose(['--bulk', '--pets', '50000'])).toEqual({ run: 'bulk', pets: 50_000, isWhole: false })
  })

  it('is several processes, whole or for a first look', () => {
    expect(choose(['--processes'])).toEqual({ run: 'processes', isWhole: true })
    expect(choose(['--processes', '--quick'])).toEqual({ run: 'processes', isWhole: false })
  })

  it('is growth or a profile', () => {
    expect(choose(['--growth', '--full'])).toEqual({ run: 'growth', isFull: true })
    expect(choose(['--profile'])).toMatchObject({ run: 'profile' })
  })

  it.each([
    [['--bulk', '--growth'], 'Say one of --growth, --bulk.'],
    [['--pets', '5'], '--pets belongs to --bulk.'],
    [['--bulk', '--pets', 'many'], '--pets must be a number of pets, such as 100000, got "many".'],
    [['--bulk', '--pets', '0'], '--pets must be'],
    [['--bulk', '--pets', '1.5'], '--pets must be'],
    [['--fast'], "Unknown option '--fast'"],
  ])('is refused for %j', (args, reason) => {
    expect(() => choose(args)).toThrow(reason)
  })

  it('is in the help', () => {
    const lines = HELP.split('\n').filter((line) => line.startsWith('pnpm bench'))
    expect(lines.length).toBeGreaterThan(5)
    for (const line of lines) {
      const [command = ''] = line.split(/ {2,}/)
      expect(() => choose(command.split(' ').slice(2)), command).not.toThrow()
    }
    for (const name of ['quick', 'only', 'contestants', 'growth', 'full', 'bulk', 'pets', 'processes', 'profile']) {
      expect(HELP).toContain(`--${name}`)
    }
  })
})
