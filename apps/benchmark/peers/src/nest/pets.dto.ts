import { Type } from 'class-transformer'
import { IsIn, IsInt, IsNotEmpty, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator'
import { STATUSES, type Status } from '../pet.ts'

export class CreatePetDto {
  @IsString()
  @IsNotEmpty()
  @MaxLength(1000)
  name!: string

  @IsInt()
  categoryId!: number

  @IsOptional()
  @IsIn(STATUSES)
  status?: Status
}

export class ListPetsDto {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit = 20

  @IsOptional()
  @IsIn(STATUSES)
  status?: Status

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  after?: number
}
