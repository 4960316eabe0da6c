import { dirname, extname, join } from 'node:path'

export const DATABASES = ['sqlite', 'postgres'] as const
export type Database = (typeof DATABASES)[number]
export const DATABASE_NAMES: Record<Database, string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/** A server that answers the benchmark's requests. */
export interface Contestant {
  readonly id: string
  readonly name: string
  readonly database: Database
  /** Ours; a server that does nothing but the work; or another stack that does what ours does. */
  readonly role: 'service' | 'ceiling' | 'peer'
  /** Whether the others of its database are compared with it. */
  readonly isBaseline?: true
  /** Arguments of `node`. */
  readonly program: readonly string[]
  /** How it is asked for a page further on. */
  readonly paging: 'cursor' | 'after'
}

// From source everything is run from source, built everything is the built program.
const HERE = import.meta.dirname
const EXTENSION = extname(import.meta.filename)
export const BENCHMARK = dirname(HERE)
export const ROOT = join(BENCHMARK, '../..')

/** The command line of our program, after `node`. */
export const SERVICE: readonly string[] =
  EXTENSION === '.ts'
    ? ['--conditions=@pet-store/source', join(ROOT, 'apps/api/src/main.ts')]
    : [join(ROOT, 'apps/api/bin/pet-store.js')]

export const bare = (name: string): string => join(HERE, `bare/${name}${EXTENSION}`)
const peer = (name: string): string => join(BENCHMARK, `peers/dist/${name}.js`)

export const CONTESTANTS: readonly Contestant[] = [
  {
    id: 'bare',
    name: 'bare node:http + better-sqlite3',
    database: 'sqlite',
    role: 'ceiling',
    isBaseline: true,
    program: [bare('sqlite')],
    paging: 'after',
  },
  service('sqlite'),
  peerOn('sqlite', 'fastify-drizzle-prepared', 'Fastify + Drizzle, prepared'),
  peerOn('sqlite', 'fastify-drizzle', 'Fastify + Drizzle'),
  peerOn('sqlite', 'hono-drizzle', 'Hono + Drizzle'),
  peerOn('sqlite', 'fastify-prisma', 'Fastify + Prisma'),
  peerOn('sqlite', 'nest-typeorm', 'NestJS + TypeORM'),
  peerOn('sqlite', 'express-mikro-orm', 'Express + MikroORM'),
  {
    id: 'bare',
    name: 'bare node:http + pg pool',
    database: 'postgres',
    role: 'ceiling',
    isBaseline: true,
    program: [bare('postgres')],
    paging: 'after',
  },
  {
    id: 'bare-pipelined',
    name: 'bare, 2 pipelined clients',
    database: 'postgres',
    role: 'ceiling',
    program: [bare('postgres'), 'pipelined'],
    paging: 'after',
  },
  service('postgres'),
  peerOn('postgres', 'fastify-drizzle-postgres', 'Fastify + Drizzle, prepared'),
  peerOn('postgres', 'nest-typeorm', 'NestJS + TypeORM'),
  peerOn('postgres', 'express-mikro-orm', 'Express + MikroORM'),
]

function service(database: Database): Contestant {
  return {
    id: 'pet-store',
    name: 'Pet Store',
    database,
    role: 'service',
    program: [...SERVICE, 'serve'],
    paging: 'cursor',
  }
}

function peerOn(database: Database, id: string, name: string): Contestant {
  return { id, name, database, role: 'peer', program: [peer(id)], paging: 'after' }
}
