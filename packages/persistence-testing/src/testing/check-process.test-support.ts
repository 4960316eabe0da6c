import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

const source = (path: string) => new URL(path, import.meta.url)
const EXAMPLE_HARNESS = fileURLToPath(
  source('../../../../examples/persistence-adapter/test/harness.ts'),
)
/** As its users have it. The source would take each process twice the CPU time until it begins. */
const COMMAND = fileURLToPath(source('../../dist/bin.js'))
/** Where the command runs. */
export const folder: string = mkdtempSync(join(tmpdir(), 'pet-store-'))
afterAll(() => rmSync(folder, { recursive: true }))

/**
 * Runs the command in the folder; `code` is a module, and `file` what opens the file adapter in it.
 */
export function startCheck(
  code: string,
  options: string,
  nodeOptions: string = '',
): ChildProcessWithoutNullStreams {
  const name = `./${code.length}-${options.replaceAll(/\W/g, '')}.mjs`
  writeFileSync(
    join(folder, name),
    code.replace('$file', source('./file-adapter/open-persistence.test-support.ts').href),
  )
  // Replaced after splitting: its path may have spaces.
  const given = options
    .replace('$module', `--module ${name}`)
    .split(' ')
    .map((word) => (word === '$example' ? EXAMPLE_HARNESS : word))
  return spawn(process.execPath, [COMMAND, ...given], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: nodeOptions },
  })
}

/** The same; resolves when it has ended. */
export async function check(
  code: string,
  options: string = `check $module --url file:${folder}/{name} --only pet.find --time-limit 1`,
  nodeOptions: string = '',
): Promise<{ stdout: string; stderr: string; exitCode: number }> {
  const child = startCheck(code, options, nodeOptions)
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { stdout, stderr, exitCode: exitCode as number }
}
