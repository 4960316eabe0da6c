import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { MEGABYTES, printLine, showProgress } from './progress.ts'

const lines: string[] = []

beforeEach(() => {
  vi.useFakeTimers()
  lines.length = 0
  vi.spyOn(console, 'error').mockImplementation((line: string) => lines.push(line))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it('progress is a line every ten seconds, in any unit, with or without a total', () => {
  const copied = showProgress('Copying', 80_000)
  const read = showProgress('Reading', undefined, MEGABYTES)
  for (let count = 0; count < 5; count += 1) {
    vi.advanceTimersByTime(5_000)
    copied.advance(10_000)
    read.advance(1_250_000)
  }
  copied.end()
  expect(lines).toEqual([
    'Copying: 20,000 of 80,000 (25%), 30 s left',
    'Reading: 2.5 MB',
    'Copying: 40,000 of 80,000 (50%), 20 s left',
    'Reading: 5 MB',
  ])
})

/** Standard error as a terminal until the test has finished; returns what is written to it. */
function openTerminal(columns: number): readonly string[] {
  const written: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const { isTTY: wasTTY, columns: before } = process.stderr
  onTestFinished(() => {
    process.stderr.isTTY = wasTTY
    process.stderr.columns = before
    vi.unstubAllEnvs()
  })
  vi.stubEnv('TERM', 'xterm')
  process.stderr.isTTY = true
  process.stderr.columns = columns
  return written
}

it('progress on a terminal is one line, which other lines and the end clear', () => {
  const written = openTerminal(80)
  const { advance, end } = showProgress('Storing', 1_000_000)
  vi.advanceTimersByTime(1_000)
  advance(1_000)
  printLine('line 7: is invalid')
  end()
  expect(written).toEqual(['\r\x1b[KStoring: 1,000 of 1,000,000 (0%), 17 min left', '\r\x1b[K'])
  expect(lines).toEqual(['\r\x1b[Kline 7: is invalid'])
})

it('progress never fills a line of a narrow terminal, and needs one that can erase', () => {
  const written = openTerminal(20)
  const narrow = showProgress('Storing', 1_000_000)
  vi.advanceTimersByTime(1_000)
  narrow.advance(1_000)
  expect(written).toEqual(['\r\x1b[KStoring: 1,000 of 1'])
  vi.stubEnv('TERM', 'dumb')
  const dumb = showProgress('Storing', 1_000_000)
  vi.advanceTimersByTime(10_000)
  dumb.advance(1_000)
  dumb.end()
  expect(lines).toEqual(['Storing: 1,000 of 1,000,000 (0%), 167 min left'])
  expect(written).toHaveLength(1)
})

it('progress names what follows, unless the work was short', () => {
  const short = showProgress('Copying', 1_000_000, MEGABYTES)
  short.advance(1_000_000)
  short.follow('Checking')
  short.end()
  const long = showProgress('Copying', 2_000_000, MEGABYTES)
  vi.advanceTimersByTime(1_000)
  long.advance(2_000_000)
  long.follow('Checking')
  vi.advanceTimersByTime(25_000)
  long.end()
  vi.advanceTimersByTime(25_000)
  expect(lines).toEqual([
    'Checking: 2 MB',
    'Checking: 2 MB, 10 s so far',
    'Checking: 2 MB, 20 s so far',
  ])
})
