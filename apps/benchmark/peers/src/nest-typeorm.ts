import 'reflect-metadata'
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Module,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  UnauthorizedException,
  ValidationPipe,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { InjectRepository, TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm'
import type { Database } from 'better-sqlite3'
import { Type } from 'class-transformer'
import { IsIn, IsInt, IsNotEmpty, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator'
import type { Request } from 'express'
import { Logger, LoggerModule } from 'nestjs-pino'
import {
  Column,
  Entity,
  MoreThan,
  PrimaryGeneratedColumn,
  Repository,
  type ValueTransformer,
} from 'typeorm'
import {
  DURABLE,
  databaseUrl,
  isGoodKey,
  petBody,
  port,
  requestId,
  STATUSES,
  type Status,
  sqliteFile,
} from './pet.ts'

/** The driver of PostgreSQL gives 64-bit integers as texts. */
const asNumber: ValueTransformer = {
  to: (value: number) => value,
  from: (value: string | number) => Number(value),
}

@Entity('pet')
class Pet {
  @PrimaryGeneratedColumn() id!: number
  @Column('text') name!: string
  @Column('bigint', { name: 'category_id', transformer: asNumber }) categoryId!: number
  @Column('text', { nullable: true }) status!: string | null
}

class CreatePetDto {
  @IsString() @IsNotEmpty() @MaxLength(1000) name!: string
  @IsInt() categoryId!: number
  @IsOptional() @IsIn(STATUSES) status?: Status
}

class ListPetsDto {
  @Type(() => Number) @IsInt() @Min(1) @Max(100) limit = 20
  @IsOptional() @IsIn(STATUSES) status?: Status
  @IsOptional() @Type(() => Number) @IsInt() after?: number
}

@Controller('v1/pets')
class PetsController {
  constructor(@InjectRepository(Pet) private readonly pets: Repository<Pet>) {}

  @Get()
  async list(@Query() { limit, status, after }: ListPetsDto) {
    const where = { ...(status && { status }), ...(after !== undefined && { id: MoreThan(after) }) }
    const found = await this.pets.find({ where, order: { id: 'ASC' }, take: limit })
    return found.map(petBody)
  }

  @Get(':id')
  async get(@Param('id', ParseIntPipe) id: number) {
    const found = await this.pets.findOneBy({ id })
    if (found === null) throw new NotFoundException()
    return petBody(found)
  }

  @Post()
  async add(@Body() pet: CreatePetDto) {
    return petBody(await this.pets.save(this.pets.create(pet)))
  }
}

class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { authorization } = context.switchToHttp().getRequest<Request>().headers
    const [scheme, key] = authorization?.split(' ') ?? []
    if (scheme !== 'Bearer' || key === undefined || !isGoodKey(key))
      throw new UnauthorizedException()
    return true
  }
}

const prepareDatabase = (database: Database) => void database.pragma(DURABLE)
const database: TypeOrmModuleOptions =
  sqliteFile === undefined
    ? { type: 'postgres', url: databaseUrl, poolSize: 10, entities: [Pet] }
    : { type: 'better-sqlite3', database: sqliteFile, prepareDatabase, entities: [Pet] }

@Module({
  imports: [
    LoggerModule.forRoot({ pinoHttp: { genReqId: requestId } }),
    TypeOrmModule.forRoot(database),
    TypeOrmModule.forFeature([Pet]),
  ],
  controllers: [PetsController],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { bufferLogs: true })
app.useLogger(app.get(Logger))
app.useGlobalGuards(new KeyGuard())
app.useGlobalPipes(new ValidationPipe({ transform: true }))
await app.listen(port, '127.0.0.1')
