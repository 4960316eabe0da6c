import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3'
import { DURABLE, sqliteFile } from './environment.ts'
import { serveWithFastify } from './fastify-server.ts'
import { PrismaClient } from './prisma/generated/client.ts'

const prisma = new PrismaClient({ adapter: new PrismaBetterSqlite3({ url: `file:${sqliteFile}` }) })
await prisma.$executeRawUnsafe(`pragma ${DURABLE}`)

await serveWithFastify({
  list: ({ limit, status, after }) =>
    prisma.pet.findMany({
      where: { ...(status && { status }), ...(after !== undefined && { id: { gt: after } }) },
      orderBy: { id: 'asc' },
      take: limit,
    }),
  get: (id) => prisma.pet.findUnique({ where: { id } }),
  add: ({ name, categoryId, status }) => prisma.pet.create({ data: { name, categoryId, ...(status && { status }) } }),
})
