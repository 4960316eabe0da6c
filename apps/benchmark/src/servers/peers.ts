import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BENCHMARK } from './contestants.ts'

const PEERS = join(BENCHMARK, 'peers')

/**
 * Installs and builds the peers. They are not part of the workspace, so that nobody else has to install them.
 * Throws with the output of the command that failed.
 */
export function preparePeers(): void {
  run('pnpm', ['install', '--frozen-lockfile', '--prefer-offline'])
  // Generating needs no engine, but the command downloads one unless it is given a program, whichever.
  run(bin('prisma'), ['generate'], { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' })
  run(bin('tsc'), [])
}

/** The versions of what the peers are made of, as `name version`. */
export function peerVersions(): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(PEERS, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  return Object.entries(dependencies).map(([name, version]) => `${name} ${version}`)
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
