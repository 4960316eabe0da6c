import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Module, ValidationPipe } from '@nestjs/common'
import { APP_GUARD, APP_PIPE } from '@nestjs/core'
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm'
import type { Database } from 'better-sqlite3'
import { LoggerModule } from 'nestjs-pino'
import { DURABLE, databaseUrl, sqliteFile } from '../environment.ts'
import { KeyGuard } from './key.guard.ts'
import { Pet } from './pet.entity.ts'
import { PetsController } from './pets.controller.ts'
import { PetsService } from './pets.service.ts'

const database: TypeOrmModuleOptions =
  sqliteFile === undefined
    ? { type: 'postgres', url: databaseUrl, poolSize: 10, entities: [Pet] }
    : {
        type: 'better-sqlite3',
        database: sqliteFile,
        entities: [Pet],
        prepareDatabase: (opened: Database) => {
          opened.pragma(DURABLE)
        },
      }

function requestId(req: IncomingMessage, res: ServerResponse): string {
  const id = String(req.headers['x-request-id'] ?? randomUUID())
  res.setHeader('X-Request-Id', id)
  return id
}

@Module({
  imports: [
    LoggerModule.forRoot({ pinoHttp: { genReqId: requestId } }),
    TypeOrmModule.forRoot(database),
    TypeOrmModule.forFeature([Pet]),
  ],
  controllers: [PetsController],
  providers: [
    PetsService,
    { provide: APP_GUARD, useClass: KeyGuard },
    { provide: APP_PIPE, useValue: new ValidationPipe({ transform: true }) },
  ],
})
export class AppModule {}
