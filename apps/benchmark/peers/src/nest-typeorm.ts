import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import { Logger } from 'nestjs-pino'
import { port } from './environment.ts'
import { AppModule } from './nest/app.module.ts'

const app = await NestFactory.create(AppModule, { bufferLogs: true })
app.useLogger(app.get(Logger))
await app.listen(port, '127.0.0.1')
