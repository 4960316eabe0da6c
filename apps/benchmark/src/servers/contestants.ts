import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'

export const DATABASES = ['sqlite', 'postgres'] as const
export type Database = (typeof DATABASES)[number]
export const DATABASE_NAMES: Record<Database, string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/** A server that responds to the benchmark's requests. */
export interface Contestant {
  readonly id: string
  readonly name: string
  /** Our service, a bare server, or another stack that does the same work as our service. */
  readonly role: 'service' | 'bare' | 'peer'
  /** Arguments of `node`, or of the other runtime. */
  readonly program: readonly string[]
  readonly runtime?: string
  /** Further environment variables, for this contestant only. */
  readonly settings?: Readonly<Record<string, string>>
  /** Processes that share one database and one port, if their settings allow it. Default: 1. */
  readonly processes?: number
  /** Pets in its database to begin with. Default: the size of the plan. */
  readonly size?: number
  /** A given database, migrated and without pets. Default: one that is created. */
  readonly databaseUrl?: string
}

const SRC = dirname(import.meta.dirname)
const PEERS = join(SRC, '../peers')
export const ROOT = join(SRC, '../../..')

/** The command line of our program, after `node`: always the built one. */
export const PROGRAM = join(ROOT, 'apps/api/bin/pet-store.js')
export const SERVICE: Contestant = {
  id: 'pet-store',
  name: 'Pet Store',
  role: 'service',
  program: [PROGRAM, 'serve'],
}

/**
 * Our service untraced, tracing one request of ten, and tracing each one, with a collector to send
 * to.
 */
export function tracingContestants(collector: string): readonly Contestant[] {
  const traced = ['0.1', '1'].map((share) => {
    const sampler = {
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: share,
    }
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector, ...sampler }
    return { ...SERVICE, id: `traced-${share}`, name: `Pet Store, traced: ${share}`, settings }
  })
  return [SERVICE, ...traced]
}

const PIPELINED = bareServer('bare-pipelined', 'bare, 2 pipelined clients', 'postgres', 'pipelined')
// Drizzle describes tables for each database in another way; one of them is enough to compare with.
const DRIZZLE = peer('fastify-drizzle', 'Fastify + Drizzle, prepared')
const EXPRESS = peer('express-mikro-orm', 'Express + MikroORM')

const BUN: Contestant = {
  id: 'bun-elysia',
  name: 'Bun + Elysia',
  role: 'peer',
  runtime: join(PEERS, 'node_modules/bun/bin/bun.exe'),
  program: [join(PEERS, 'src/bun-elysia.ts')],
}

/**
 * The contestants on each database. The first is the one that the others are compared with, the
 * second is our service.
 */
export const CONTESTANTS: Readonly<Record<Database, readonly Contestant[]>> = {
  sqlite: [
    bareServer('bare', 'bare node:http + better-sqlite3', 'sqlite'),
    SERVICE,
    BUN,
    DRIZZLE,
    EXPRESS,
  ],
  postgres: [
    bareServer('bare', 'bare node:http + pg pool', 'postgres'),
    SERVICE,
    PIPELINED,
    BUN,
    EXPRESS,
  ],
}

function bareServer(
  id: string,
  name: string,
  file: string,
  ...args: readonly string[]
): Contestant {
  return { id, name, role: 'bare', program: [join(SRC, `bare/${file}.ts`), ...args] }
}

function peer(id: string, name: string): Contestant {
  return { id, name, role: 'peer', program: [join(PEERS, `dist/${id}.js`)] }
}

/**
 * Installs and builds the peers, which are not part of the workspace, so that nobody else has to
 * install them.
 */
export function preparePeers(): void {
  execFileSync('pnpm', ['install', '--frozen-lockfile', '--prefer-offline', '--silent'], {
    cwd: PEERS,
  })
  execFileSync('node_modules/.bin/tsc', { cwd: PEERS })
}
