import { Column, Entity, PrimaryGeneratedColumn, type ValueTransformer } from 'typeorm'

/** The driver of PostgreSQL gives 64-bit integers as texts. */
const asNumber: ValueTransformer = { to: (value: number) => value, from: (value: string | number) => Number(value) }

@Entity('pet')
export class Pet {
  @PrimaryGeneratedColumn()
  id!: number

  @Column('text')
  name!: string

  @Column('bigint', { name: 'category_id', transformer: asNumber })
  categoryId!: number

  @Column('text', { nullable: true })
  status!: string | null
}
