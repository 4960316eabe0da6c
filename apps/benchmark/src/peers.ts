import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { BENCHMARK } from './contestant.ts'

const PEERS = join(BENCHMARK, 'peers')

/**
 * Installs and builds the peers. Not a part of the workspace: whoever only wants the service installs none of them.
 * Throws with what the failing step said.
 */
export function preparePeers(): void {
  run('pnpm', ['install', '--frozen-lockfile', '--prefer-offline'])
  // Generating needs no engine, and yet the command would fetch one. It is content with any program that exists.
  run(bin('prisma'), ['generate'], { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' })
  run(bin('tsc'), [])
}

function bin(name: string): string {
  return join(PEERS, 'node_modules/.bin', name)
}

function run(command: string, args: readonly string[], settings: Record<string, string> = {}): void {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd: PEERS,
    encoding: 'utf8',
    env: { ...process.env, ...settings },
  })
  if (status !== 0) {
    throw new Error(`The peers cannot be prepared: ${command} ${args.join(' ')}\n${stdout ?? ''}${stderr ?? ''}`, {
      cause: error,
    })
  }
}
