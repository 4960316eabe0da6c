#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { checkCommand } from './check-command.ts'

const USAGE = `Usage: pet-store-adapter check --module <name> --url <url> [--harness <file>] [--json]

  --module   the persistence module: a package, or a path that begins with . or /
  --url      an empty place; each case uses one of its own beside it, with a number appended, or in the place of {place}
  --harness  a module that makes what else the cases need, such as an interruption
  --json     print one JSON value

Exit codes: 0 nothing is broken, 1 something is broken, 2 wrong use.`

const OPTIONS = {
  module: { type: 'string' },
  url: { type: 'string' },
  harness: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

try {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
  if (values.help) console.log(USAGE)
  else if (positionals.join(' ') !== 'check') throw new Error(USAGE)
  else process.exitCode = await checkCommand(values)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}
// What a broken adapter has left running must not keep the process alive.
process.stdout.write('', () => process.exit())
