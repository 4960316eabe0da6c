import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LogOutput, type LogOutputOptions } from './log-output.ts'

const PIPE_BYTES = 64 * 1024

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-log-output-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

function openedFile(folder: string) {
  const path = join(folder, 'log')
  const fileDescriptor = openSync(path, 'a')
  onTestFinished(() => closeSync(fileDescriptor))
  return { fileDescriptor, written: () => readFileSync(path, 'utf8') }
}

/** A pipe that nobody reads until `read` is called. */
function openedPipe() {
  const path = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const fileDescriptor = openSync(path, constants.O_WRONLY)
  const closeReader = () => closeSync(reader)
  const buffer = Buffer.alloc(PIPE_BYTES)
  function read(): string {
    try {
      return buffer.toString('utf8', 0, readSync(reader, buffer))
    } catch {
      return ''
    }
  }
  return { fileDescriptor, read, closeReader }
}

/** An output that logs how many lines it dropped, as the program does. */
function openReporting(options: LogOutputOptions): LogOutput {
  const output = new LogOutput({
    ...options,
    onResume: (droppedLines) => output.write(`dropped ${droppedLines}\n`),
  })
  return output
}

// A full disk, and a program whose log nobody reads: apps/faults, log-output.
describe('The output of the log', () => {
  it('the log writes every line, in order, however many and however long', () => {
    const { fileDescriptor, written } = openedFile(temporaryFolder())
    const output = new LogOutput({ fileDescriptor })
    const lines = Array.from(
      { length: 3_000 },
      (_, index) => `${index} ${'é🐕'.repeat(index % 50)}\n`,
    )
    lines.splice(1_500, 0, `${'long é'.repeat(40_000)}\n`)
    for (const line of lines) output.write(line)
    output.flushSync()
    expect(written()).toBe(lines.join(''))
    expect(output.droppedLines).toBe(0)
  })

  it('the log gathers lines, and writes a single one within a second', async () => {
    const { fileDescriptor, written } = openedFile(temporaryFolder())
    new LogOutput({ fileDescriptor }).write('alone\n')
    expect(written()).toBe('')
    await expect.poll(written).toBe('alone\n')
  })

  it('the log holds at most maxBytes for a stuck pipe, and counts what it drops', async () => {
    const { fileDescriptor, read } = openedPipe()
    const output = openReporting({ fileDescriptor, maxBytes: 4 * PIPE_BYTES })
    const line = `${'x'.repeat(99)}\n`
    const count = 20_000
    for (let index = 0; index < count; index += 1) output.write(line)
    const dropped = output.droppedLines
    const taken = (count - dropped) * line.length
    expect(taken).toBeGreaterThan(4 * PIPE_BYTES)
    expect(taken).toBeLessThanOrEqual(5 * PIPE_BYTES)

    let text = ''
    await expect
      .poll(() => {
        text += read()
        return text
      })
      .toContain(`dropped ${dropped}\n`)
    expect(text).toBe(`${line.repeat(count - dropped)}dropped ${dropped}\n`)
    output.write('again\n')
    output.flush()
    expect(read()).toBe('again\n')
  })

  it('the log drops and counts lines for a pipe that is closed', () => {
    const { fileDescriptor, closeReader } = openedPipe()
    const output = openReporting({ fileDescriptor })
    closeReader()
    output.write('first\n')
    output.flush()
    output.write('second\n')
    output.flushSync()
    expect(output.droppedLines).toBe(1)
  })

  it('the log drops a line that is longer than maxBytes, and goes on', () => {
    const { fileDescriptor, written } = openedFile(temporaryFolder())
    const output = openReporting({ fileDescriptor, maxBytes: 2 * PIPE_BYTES })
    output.write(`${'x'.repeat(PIPE_BYTES)}\n`)
    output.write('short\n')
    output.flushSync()
    expect(written()).toBe('dropped 1\nshort\n')
  })
})
