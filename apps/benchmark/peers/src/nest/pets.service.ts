import { Injectable, NotFoundException } from '@nestjs/common'
import { InjectRepository } from '@nestjs/typeorm'
import { MoreThan, Repository } from 'typeorm'
import { petBody } from '../pet.ts'
import { Pet } from './pet.entity.ts'
import { CreatePetDto, ListPetsDto } from './pets.dto.ts'

@Injectable()
export class PetsService {
  constructor(@InjectRepository(Pet) private readonly pets: Repository<Pet>) {}

  async list({ limit, status, after }: ListPetsDto) {
    const where = { ...(status && { status }), ...(after !== undefined && { id: MoreThan(after) }) }
    const found = await this.pets.find({ where, order: { id: 'ASC' }, take: limit })
    return found.map(petBody)
  }

  async get(id: number) {
    const found = await this.pets.findOneBy({ id })
    if (found === null) throw new NotFoundException()
    return petBody(found)
  }

  async add(pet: CreatePetDto) {
    const added = await this.pets.save(this.pets.create(pet))
    return petBody({ ...added, status: added.status ?? null })
  }
}
