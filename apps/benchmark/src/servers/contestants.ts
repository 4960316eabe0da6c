import { dirname, extname, join } from 'node:path'

export const DATABASES = ['sqlite', 'postgres'] as const
export type Database = (typeof DATABASES)[number]
export const DATABASE_NAMES: Record<Database, string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/** A server that responds to the benchmark's requests. */
export interface Contestant {
  readonly id: string
  readonly name: string
  readonly database: Database
  /** Ours; a server that does nothing but the work; or another stack that does what ours does. */
  readonly role: 'service' | 'ceiling' | 'peer'
  /** Arguments of `node`. */
  readonly program: readonly string[]
  /** Whether it sends its traces to a collector. */
  readonly isTraced?: true
}

// Source starts the source of the bare servers, and the built benchmark, which is one file, built ones.
const EXTENSION = extname(import.meta.filename)
const SRC = EXTENSION === '.ts' ? dirname(import.meta.dirname) : import.meta.dirname
export const BENCHMARK = dirname(SRC)
export const ROOT = join(BENCHMARK, '../..')

/** The command line of our program, after `node`: always the built one. */
export const PROGRAM: readonly string[] = [join(ROOT, 'apps/api/bin/pet-store.js')]
export const SERVICE = [...PROGRAM, 'serve']

export const bare = (name: string): string => join(SRC, `bare/${name}${EXTENSION}`)

const SERVICES = {
  service: { id: 'pet-store', name: 'Pet Store', role: 'service', program: SERVICE },
  traced: { id: 'pet-store-traced', name: 'Pet Store, traced', role: 'service', program: SERVICE, isTraced: true },
} as const

/** Everybody on each database. The first is the one that the others are compared with, the second is our service. */
export const CONTESTANTS: readonly Contestant[] = [
  ...on('sqlite', [
    { id: 'bare', name: 'bare node:http + better-sqlite3', role: 'ceiling', program: [bare('sqlite')] },
    SERVICES.service,
    SERVICES.traced,
    peer('fastify-drizzle-prepared', 'Fastify + Drizzle, prepared'),
    peer('fastify-drizzle', 'Fastify + Drizzle'),
    peer('hono-drizzle', 'Hono + Drizzle'),
    peer('fastify-prisma', 'Fastify + Prisma'),
    peer('nest-typeorm', 'NestJS + TypeORM'),
    peer('express-mikro-orm', 'Express + MikroORM'),
  ]),
  ...on('postgres', [
    { id: 'bare', name: 'bare node:http + pg pool', role: 'ceiling', program: [bare('postgres')] },
    SERVICES.service,
    SERVICES.traced,
    {
      id: 'bare-pipelined',
      name: 'bare, 2 pipelined clients',
      role: 'ceiling',
      program: [bare('postgres'), 'pipelined'],
    },
    peer('fastify-drizzle-postgres', 'Fastify + Drizzle, prepared'),
    peer('nest-typeorm', 'NestJS + TypeORM'),
    peer('express-mikro-orm', 'Express + MikroORM'),
  ]),
]

function on(database: Database, contestants: readonly Omit<Contestant, 'database'>[]): Contestant[] {
  return contestants.map((contestant) => ({ ...contestant, database }))
}

function peer(id: string, name: string): Omit<Contestant, 'database'> {
  return { id, name, role: 'peer', program: [join(BENCHMARK, `peers/dist/${id}.js`)] }
}
