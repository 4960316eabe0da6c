import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type LogOutput, openLogOutput } from './log-output.ts'

describe('The output of the log', () => {
  let folder: string
  let descriptor: number
  let output: LogOutput

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pet-store-log-output-'))
    descriptor = openSync(join(folder, 'log'), 'a')
    output = openLogOutput(descriptor)
  })
  afterEach(() => {
    closeSync(descriptor)
    rmSync(folder, { recursive: true })
  })

  const written = () => readFileSync(join(folder, 'log'), 'utf8')

  it('keeps every line, in order, however many and however long', () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => `${index} ${'é🐕'.repeat(index % 50)}\n`)
    lines.splice(1_500, 0, `${'long é'.repeat(40_000)}\n`)
    for (const line of lines) output.write(line)
    output.flushSync()
    expect(written()).toBe(lines.join(''))
  })

  it('writes nothing for a single line at once, but within a second', async () => {
    output.write('alone\n')
    expect(written()).toBe('')
    await expect.poll(written, { timeout: 1_000 }).toBe('alone\n')
  })
})
