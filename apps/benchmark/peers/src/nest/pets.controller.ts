import { Body, Controller, Get, Param, ParseIntPipe, Post, Query } from '@nestjs/common'
import { CreatePetDto, ListPetsDto } from './pets.dto.ts'
import { PetsService } from './pets.service.ts'

@Controller('v1/pets')
export class PetsController {
  constructor(private readonly pets: PetsService) {}

  @Get()
  list(@Query() query: ListPetsDto) {
    return this.pets.list(query)
  }

  @Get(':id')
  get(@Param('id', ParseIntPipe) id: number) {
    return this.pets.get(id)
  }

  @Post()
  add(@Body() pet: CreatePetDto) {
    return this.pets.add(pet)
  }
}
